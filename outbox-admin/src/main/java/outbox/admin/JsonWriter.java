package outbox.admin;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.metrics.Count;

/**
 * Writes objects, maps, lists, texts, numbers, instants and counts. What HTML gives a meaning is
 * escaped, so that no answer can be taken for a page.
 */
final class JsonWriter {
  private final StringBuilder out = new StringBuilder(1024);

  private JsonWriter() {}

  static String write(@Nullable Object value) {
    JsonWriter writer = new JsonWriter();
    writer.value(value);
    return writer.out.toString();
  }

  private void value(@Nullable Object value) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number number) {
      number(number);
    } else if (value instanceof JsonObject object) {
      object(object.fields());
    } else if (value instanceof Map<?, ?> map) {
      object(map);
    } else if (value instanceof Iterable<?> list) {
      list(list);
    } else if (value instanceof Count count) {
      value(new JsonObject().put("value", count.value()).put("atLeast", count.atLeast()));
    } else if (value instanceof String || value instanceof Instant || value instanceof Enum<?>) {
      quote(value.toString());
    } else {
      throw new IllegalArgumentException("no JSON for " + value.getClass());
    }
  }

  private void number(Number number) {
    double value = number.doubleValue();
    out.append(Double.isFinite(value) ? number : null);
  }

  private void object(Map<?, ?> fields) {
    out.append('{');
    String separator = "";
    for (Map.Entry<?, ?> field : fields.entrySet()) {
      out.append(separator);
      quote(String.valueOf(field.getKey()));
      out.append(':');
      value(field.getValue());
      separator = ",";
    }
    out.append('}');
  }

  private void list(Iterable<?> items) {
    out.append('[');
    String separator = "";
    for (Object item : items) {
      out.append(separator);
      value(item);
      separator = ",";
    }
    out.append(']');
  }

  private void quote(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> character(c);
      }
    }
    out.append('"');
  }

  private void character(char c) {
    boolean plain =
        c >= ' ' && "<>&'\u007f\u2028\u2029".indexOf(c) < 0 && !Character.isSurrogate(c);
    if (plain || Character.isSurrogate(c)) {
      out.append(c);
    } else {
      out.append(String.format("\\u%04x", (int) c));
    }
  }
}
