package outbox.jackson;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.UnreadablePayloadException;

/**
 * Says why a payload cannot be read, by Jackson's own words without the values that they quote.
 * Names of fields stay: they say where.
 */
final class Reasons {
  private static final int MAX_LENGTH = 1_000;

  /** From the first quote to the last: a value may have quotes itself. */
  private static final Pattern QUOTED = Pattern.compile("[\"'].*[\"']", Pattern.DOTALL);

  private static final Pattern NUMBERS = Pattern.compile("\\(-?[0-9][^)]*\\)");

  /** What a constructor of the application says about its arguments. */
  private static final Pattern PROBLEM = Pattern.compile(", problem: .*", Pattern.DOTALL);

  private Reasons() {}

  static UnreadablePayloadException unrecognized(String field, Class<?> type, String path) {
    return reason("Unrecognized field \"" + field + "\" (class " + type.getName() + ")", path, "");
  }

  static UnreadablePayloadException unreadable(
      @Nullable String message, @Nullable Throwable cause, String path, int line, int column) {
    String text = withoutValues(message == null ? "malformed JSON" : message);
    if (cause != null) {
      text += " (" + cause.getClass().getName() + ")";
    }
    return reason(text, path, line > 0 ? " at line " + line + ", column " + column : "");
  }

  private static UnreadablePayloadException reason(String text, String path, String place) {
    String where = path.isEmpty() ? "" : " (through reference chain: " + path + ")";
    String reason = text + where + place;
    return new UnreadablePayloadException(
        reason.length() <= MAX_LENGTH ? reason : reason.substring(0, MAX_LENGTH) + "…");
  }

  static String withoutValues(String message) {
    String text = PROBLEM.matcher(message).replaceFirst("");
    text = QUOTED.matcher(text).replaceFirst("…");
    return NUMBERS.matcher(text).replaceAll("(…)");
  }

  static IllegalArgumentException unwritable(Object value, Exception cause) {
    return new IllegalArgumentException(
        value.getClass().getName() + " cannot be written as JSON: " + cause.getMessage(), cause);
  }
}
