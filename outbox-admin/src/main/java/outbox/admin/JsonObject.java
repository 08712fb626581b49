package outbox.admin;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object under construction, its fields in the order in which they were put. */
final class JsonObject {
  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  JsonObject put(String name, @Nullable Object value) {
    fields.put(name, value);
    return this;
  }

  Map<String, @Nullable Object> fields() {
    return Collections.unmodifiableMap(fields);
  }
}
