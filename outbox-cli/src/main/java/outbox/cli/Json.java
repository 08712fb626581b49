package outbox.cli;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes what commands put out with {@code --json}: maps, lists, texts, numbers, truth values. */
final class Json {
  private Json() {}

  static String of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> text(String.valueOf(entry.getKey())) + ":" + of(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof Collection<?> list) {
      return list.stream().map(Json::of).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Double number) {
      return String.format(Locale.ROOT, "%.3f", number);
    }
    return value == null || value instanceof Number || value instanceof Boolean
        ? String.valueOf(value)
        : text(value.toString());
  }

  private static String text(String value) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> json.append('\\').append(c);
        case '\n' -> json.append("\\n");
        default ->
            json.append(isControl(c) ? String.format("\\u%04x", (int) c) : String.valueOf(c));
      }
    }
    return json.append('"').toString();
  }

  /** Also those that only a terminal takes for one. */
  private static boolean isControl(char c) {
    return c < ' ' || (c >= 0x7F && c < 0xA0);
  }
}
