package outbox.dispatch;

import org.jspecify.annotations.Nullable;

/** What an error goes back to. */
final class Causes {
  private static final int DEEPEST = 100;

  private Causes() {}

  /** Whether the error, or something that caused it, is of the type. */
  static boolean include(Throwable error, Class<? extends Throwable> type) {
    @Nullable Throwable cause = error;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (type.isInstance(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
