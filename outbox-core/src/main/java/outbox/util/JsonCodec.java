package outbox.util;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes and decodes the headers: one JSON object whose values are strings. */
public final class JsonCodec {
  private static final List<String> TRUTH_VALUES = List.of("true", "false");

  private final String text;
  private int at;
  private boolean truthValues;

  private JsonCodec(String text) {
    this.text = text;
  }

  /** Writes the map as a JSON object of strings. */
  public static String toJson(Map<String, String> object) {
    if (object.isEmpty()) {
      return "{}";
    }
    StringBuilder out = new StringBuilder(32 * object.size());
    char separator = '{';
    for (Map.Entry<String, String> entry : object.entrySet()) {
      out.append(separator);
      quote(entry.getKey(), out);
      out.append(':');
      quote(entry.getValue(), out);
      separator = ',';
    }
    return out.append('}').toString();
  }

  /**
   * Reads what {@link #toJson} wrote, in any white space and escaping. Of a repeated key the last
   * value counts, as for most readers of JSON.
   *
   * @throws IllegalArgumentException naming the position, never the text, if it is anything else
   */
  public static Map<String, String> parseObject(String json) {
    return new JsonCodec(json).object();
  }

  /**
   * As {@link #parseObject}, and reads {@code true} and {@code false} as those words: what other
   * languages write for a truth value.
   *
   * @throws IllegalArgumentException naming the position, never the text, if it is anything else
   */
  public static Map<String, String> parseFields(String json) {
    JsonCodec codec = new JsonCodec(json);
    codec.truthValues = true;
    return codec.object();
  }

  private static void quote(String value, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private Map<String, String> object() {
    Map<String, String> object = new LinkedHashMap<>();
    expect('{');
    if (peek() == '}') {
      at++;
    } else {
      do {
        String key = string();
        expect(':');
        object.put(key, value());
      } while (more());
    }
    skipSpace();
    if (at < text.length()) {
      throw malformed("the end");
    }
    return object;
  }

  private String value() {
    if (truthValues && peek() != '"') {
      for (String word : TRUTH_VALUES) {
        if (text.startsWith(word, at)) {
          at += word.length();
          return word;
        }
      }
    }
    return string();
  }

  private boolean more() {
    char c = peek();
    if (c != ',' && c != '}') {
      throw malformed("',' or '}'");
    }
    at++;
    return c == ',';
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') {
        return out.toString();
      }
      if (c < ' ') {
        throw malformed("an escaped control character");
      }
      out.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw malformed("an escape");
    };
  }

  private char unicode() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      char c = next();
      int digit = Character.digit(c, 16);
      if (digit < 0 || c > 'f') {
        throw malformed("four hexadecimal digits");
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw malformed("'" + wanted + "'");
    }
    at++;
  }

  private char peek() {
    skipSpace();
    if (at >= text.length()) {
      throw malformed("more text");
    }
    return text.charAt(at);
  }

  private char next() {
    if (at >= text.length()) {
      throw malformed("more text");
    }
    return text.charAt(at++);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException malformed(String wanted) {
    return new IllegalArgumentException(
        "malformed JSON object of strings: expected " + wanted + " at position " + at);
  }
}
