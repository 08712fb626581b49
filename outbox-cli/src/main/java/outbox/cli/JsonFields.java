package outbox.cli;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a JSON object, in the order in which they were put. */
final class JsonFields {
  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  JsonFields put(String name, @Nullable Object value) {
    fields.put(name, value);
    return this;
  }

  Map<String, @Nullable Object> map() {
    return Collections.unmodifiableMap(fields);
  }

  @Override
  public String toString() {
    return Json.of(fields);
  }
}
