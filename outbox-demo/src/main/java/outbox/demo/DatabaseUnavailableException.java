package outbox.demo;

/** The embedded database cannot be started; the message says what to do instead. */
final class DatabaseUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DatabaseUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
