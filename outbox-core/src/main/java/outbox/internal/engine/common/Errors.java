package outbox.internal.engine.common;

import java.util.List;
import java.util.Objects;
import outbox.internal.util.Causes;

/** The text of an error as the store keeps it. */
public final class Errors {
  /** A bound for memory only; the store cuts to what its column keeps. */
  private static final int MAX_LENGTH = 20_000;

  private Errors() {}

  /** Class and message of the error and of its root cause. */
  public static String describe(Throwable error) {
    List<Throwable> causes = Causes.of(error);
    Throwable root = causes.get(causes.size() - 1);
    String text = text(error);
    return truncate(root == error ? text : text + "; caused by " + text(root));
  }

  private static String text(Throwable error) {
    try {
      return Objects.requireNonNullElse(error.toString(), error.getClass().getName());
    } catch (Throwable broken) {
      return error.getClass().getName();
    }
  }

  private static String truncate(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
  }

  /** The beginning of a text as every store can keep it. */
  public static String cut(String text, int length) {
    StringBuilder storable = new StringBuilder();
    text.codePoints()
        .limit(length)
        .map(
            point -> point == 0 || Character.getType(point) == Character.SURROGATE ? 0xFFFD : point)
        .forEach(storable::appendCodePoint);
    return storable.toString();
  }
}
