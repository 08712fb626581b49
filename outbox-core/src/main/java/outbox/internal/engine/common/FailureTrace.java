package outbox.internal.engine.common;

import org.jspecify.annotations.Nullable;

/**
 * Stands for an exception in the log: its class, its stack and its causes, but not their messages,
 * which may quote a payload. Those are kept in {@code last_error}.
 */
public final class FailureTrace extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MAX_CAUSES = 20;

  private FailureTrace(Throwable error, @Nullable FailureTrace cause) {
    super(error.getClass().getName(), cause, false, true);
    setStackTrace(error.getStackTrace());
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

  /** The name of the class that it stands for, where its own would only be in the way. */
  @Override
  @SuppressWarnings("OverrideThrowableToString")
  public String toString() {
    return String.valueOf(getMessage());
  }
}
