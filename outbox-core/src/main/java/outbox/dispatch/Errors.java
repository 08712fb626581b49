package outbox.dispatch;

import java.util.Objects;

/** The text of an error as the store keeps it. */
final class Errors {
  private Errors() {}

  /** Class and message of the error and of its root cause, cut on a code point. */
  static String describe(Throwable error, int maxLength) {
    Throwable root = error;
    for (int depth = 0; root.getCause() != null && depth < 100; depth++) {
      root = root.getCause();
    }
    String text = text(error);
    return truncate(root == error ? text : text + "; caused by " + text(root), maxLength);
  }

  private static String text(Throwable error) {
    try {
      return Objects.requireNonNullElse(error.toString(), error.getClass().getName());
    } catch (Throwable broken) {
      return error.getClass().getName();
    }
  }

  private static String truncate(String text, int maxLength) {
    if (text.length() <= maxLength) {
      return text;
    }
    boolean splitsPair = Character.isHighSurrogate(text.charAt(maxLength - 1));
    return text.substring(0, splitsPair ? maxLength - 1 : maxLength);
  }
}
