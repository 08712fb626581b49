package outbox.internal.engine.common;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an error goes back to. */
public final class Causes {
  private static final int DEEPEST = 100;

  private Causes() {}

  /** The error first, its root cause last; a chain that has no end is cut. */
  public static List<Throwable> of(Throwable error) {
    List<Throwable> all = new ArrayList<>();
    @Nullable Throwable cause = error;
    while (cause != null && all.size() < DEEPEST) {
      all.add(cause);
      cause = cause.getCause();
    }
    return all;
  }

  /** Whether the error, or something that caused it, is of the type. */
  public static boolean include(Throwable error, Class<? extends Throwable> type) {
    return of(error).stream().anyMatch(type::isInstance);
  }
}
