package outbox.admin.json;

import java.io.StringWriter;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.Page;
import outbox.admin.metrics.Count;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes objects, maps, lists, texts, numbers, instants, counts and windows. What HTML gives a
 * meaning is escaped, so that no answer can be taken for a page, and so is what a terminal would
 * obey.
 */
public final class JsonWriter {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().characterEscapes(new Escapes()).build();

  private final JsonGenerator out;

  private JsonWriter(JsonGenerator out) {
    this.out = out;
  }

  /** The value as JSON. */
  public static String write(@Nullable Object value) {
    StringWriter text = new StringWriter(1024);
    try (JsonGenerator out = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      new JsonWriter(out).value(value);
    }
    return text.toString();
  }

  private void value(@Nullable Object value) {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof Boolean truth) {
      out.writeBoolean(truth);
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
    } else if (value instanceof Page.Window window) {
      value(new JsonObject().put("from", window.from()).put("to", window.to()));
    } else if (value instanceof String || value instanceof Instant || value instanceof Enum<?>) {
      out.writeString(value.toString());
    } else {
      throw new IllegalArgumentException("no JSON for " + value.getClass());
    }
  }

  private void number(Number number) {
    if (Double.isFinite(number.doubleValue())) {
      out.writeNumber(number.toString());
    } else {
      out.writeNull();
    }
  }

  private void object(Map<?, ?> fields) {
    out.writeStartObject();
    for (Map.Entry<?, ?> field : fields.entrySet()) {
      out.writeName(String.valueOf(field.getKey()));
      value(field.getValue());
    }
    out.writeEndObject();
  }

  private void list(Iterable<?> items) {
    out.writeStartArray();
    for (Object item : items) {
      value(item);
    }
    out.writeEndArray();
  }

  /** Beside what JSON escapes: what begins a tag, an entity, a line in old scripts, a command. */
  private static final class Escapes extends CharacterEscapes {
    private static final long serialVersionUID = 1L;

    private final int[] ascii = standardAsciiEscapesForJSON();

    Escapes() {
      for (char c : new char[] {'<', '>', '&', '\'', '\u007f'}) {
        ascii[c] = ESCAPE_STANDARD;
      }
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ascii.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int c) {
      boolean command = c >= '\u0080' && c <= '\u009f';
      return command || c == '\u2028' || c == '\u2029'
          ? new SerializedString(String.format("\\u%04X", c))
          : null;
    }
  }
}
