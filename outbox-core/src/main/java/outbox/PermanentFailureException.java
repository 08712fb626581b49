package outbox;

/** Thrown by a handler or listener: trying again is pointless, the message is dead at once. */
public class PermanentFailureException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PermanentFailureException(String message) {
    super(message);
  }

  public PermanentFailureException(String message, Throwable cause) {
    super(message, cause);
  }
}
