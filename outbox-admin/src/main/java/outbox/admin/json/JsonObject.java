package outbox.admin.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object under construction, its fields in the order in which they were put; its text is
 * JSON. Not thread-safe.
 */
public final class JsonObject {
  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  /**
   * Adds a field, or replaces it.
   *
   * @param value an object, a map, a list, a text, a number, a truth value, an instant or a count
   */
  public JsonObject put(String name, @Nullable Object value) {
    fields.put(name, value);
    return this;
  }

  Map<String, @Nullable Object> fields() {
    return Collections.unmodifiableMap(fields);
  }

  @Override
  public String toString() {
    return JsonWriter.write(this);
  }
}
