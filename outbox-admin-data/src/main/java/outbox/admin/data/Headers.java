package outbox.admin.data;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads stored headers, which may be any text if another program wrote them. What is no simple
 * value of a name is not shown: an operator who hides values by their names could not hide it.
 */
final class Headers {
  static final String UNREADABLE = "(unreadable)";

  private static final JsonFactory FACTORY = JsonFactory.builder().build();

  private Headers() {}

  static Map<String, String> read(@Nullable String json) {
    if (json == null || json.isBlank()) {
      return Map.of();
    }
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        Map<String, String> headers = object(parser);
        if (parser.nextToken() == null) {
          return headers;
        }
      }
      return unreadable(json);
    } catch (JacksonException e) {
      return unreadable(json);
    }
  }

  private static Map<String, String> object(JsonParser parser) {
    Map<String, String> headers = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      if (parser.nextToken().isScalarValue()) {
        headers.put(name, parser.getString());
      } else {
        parser.skipChildren();
        headers.put(name, UNREADABLE);
      }
    }
    return headers;
  }

  private static Map<String, String> unreadable(String json) {
    return Map.of(UNREADABLE, json.length() + " characters that are no JSON object");
  }
}
