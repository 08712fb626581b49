package outbox.spring.boot;

/** The application cannot start as it is; says what is wrong and what to do about it. */
final class OutboxSetupException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String action;

  OutboxSetupException(String description, String action) {
    this(description, action, null);
  }

  OutboxSetupException(
      String description, String action, @org.jspecify.annotations.Nullable Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  String action() {
    return action;
  }
}
