package outbox.cli;

/** An option has a value that cannot be used; the message says which and why. */
final class WrongCallException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongCallException(String message) {
    super(message);
  }
}
