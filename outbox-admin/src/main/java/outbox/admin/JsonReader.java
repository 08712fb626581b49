package outbox.admin;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a caller sent: maps, lists, texts, numbers (as BigDecimal), booleans and nulls. Strict
 * and shallow; what it refuses is named by position, never quoted.
 */
final class JsonReader {
  private static final int MAX_DEPTH = 8;

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  static @Nullable Object read(String json) {
    JsonReader reader = new JsonReader(json);
    Object value = reader.value();
    reader.skipSpace();
    if (reader.at < json.length()) {
      throw reader.malformed("the end");
    }
    return value;
  }

  private @Nullable Object value() {
    char c = peek();
    return switch (c) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    enter();
    if (!leave('}')) {
      do {
        if (peek() != '"') {
          throw malformed("a name in quotes");
        }
        String name = string();
        if (peek() != ':') {
          throw malformed("':'");
        }
        at++;
        if (object.containsKey(name)) {
          throw malformed("a name that was not there before");
        }
        object.put(name, value());
      } while (more('}'));
    }
    depth--;
    return object;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> list = new ArrayList<>();
    enter();
    if (!leave(']')) {
      do {
        list.add(value());
      } while (more(']'));
    }
    depth--;
    return list;
  }

  private void enter() {
    if (++depth > MAX_DEPTH) {
      throw malformed("at most " + MAX_DEPTH + " levels");
    }
    at++;
  }

  private boolean leave(char end) {
    if (peek() != end) {
      return false;
    }
    at++;
    return true;
  }

  private boolean more(char end) {
    char c = peek();
    if (c != ',' && c != end) {
      throw malformed("',' or '" + end + "'");
    }
    at++;
    return c == ',';
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw malformed("a value");
    }
    at += word.length();
    return value;
  }

  private BigDecimal number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    try {
      return at - start > 40 ? tooLong() : new BigDecimal(text.substring(start, at));
    } catch (NumberFormatException e) {
      at = start;
      throw malformed("a value");
    }
  }

  private BigDecimal tooLong() {
    throw malformed("a number of at most 40 characters");
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (at++; ; at++) {
      char c = current();
      if (c == '"') {
        at++;
        return out.toString();
      }
      if (c < ' ') {
        throw malformed("an escaped control character");
      }
      out.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    at++;
    char c = current();
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
      at++;
      int digit = Character.digit(current(), 16);
      if (digit < 0) {
        throw malformed("four hexadecimal digits");
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private char peek() {
    skipSpace();
    return current();
  }

  private char current() {
    if (at >= text.length()) {
      throw malformed("more text");
    }
    return text.charAt(at);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private Problem malformed(String wanted) {
    return Problem.invalid(
        "body",
        "The body is no JSON that is understood here: at " + at + " expected " + wanted + ".");
  }
}
