package outbox.internal.engine.common;

import org.jspecify.annotations.Nullable;
import outbox.internal.text.LogSettings;
import outbox.internal.text.LogText;

/**
 * Stands for an exception in the log: its class, its stack and its causes, with messages that
 * cannot begin a line of their own, or without them if {@link LogSettings} says so. They are in
 * {@code last_error} in any case.
 */
public final class FailureTrace extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MAX_CAUSES = 20;

  private FailureTrace(Throwable error, @Nullable FailureTrace cause) {
    super(text(error), cause, false, true);
    setStackTrace(error.getStackTrace());
  }

  private static String text(Throwable error) {
    String name = error.getClass().getName();
    String message = LogSettings.exceptionMessages() ? error.getMessage() : null;
    return message == null ? name : name + ": " + LogText.of(message);
  }

  public static FailureTrace of(Throwable error) {
    return of(error, MAX_CAUSES);
  }

  private static FailureTrace of(Throwable error, int causesLeft) {
    Throwable cause = causesLeft == 0 ? null : error.getCause();
    return new FailureTrace(error, cause == null ? null : of(cause, causesLeft - 1));
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  /** The class that it stands for, where its own would only be in the way. */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
