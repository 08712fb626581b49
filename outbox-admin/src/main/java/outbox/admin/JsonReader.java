package outbox.admin;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads what a caller sent: maps, lists, texts, numbers (as BigDecimal), booleans and nulls. Strict
 * and shallow; what it refuses is named by position, never quoted.
 */
final class JsonReader {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(8).maxNumberLength(40).build())
          .build();

  private JsonReader() {}

  static @Nullable Object read(String json) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
      parser.nextToken();
      Object value = value(parser);
      if (parser.nextToken() != null) {
        throw malformed(parser.currentTokenLocation().getCharOffset());
      }
      return value;
    } catch (JacksonException e) {
      throw malformed(e.getLocation() == null ? 0 : e.getLocation().getCharOffset());
    }
  }

  private static @Nullable Object value(JsonParser parser) {
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw malformed(parser.currentLocation().getCharOffset());
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> list(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw malformed(parser.currentTokenLocation().getCharOffset());
    };
  }

  /** An exponent may be too large for any number. */
  private static BigDecimal number(JsonParser parser) {
    try {
      return parser.getDecimalValue();
    } catch (NumberFormatException e) {
      throw malformed(parser.currentTokenLocation().getCharOffset());
    }
  }

  private static Map<String, @Nullable Object> object(JsonParser parser) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static List<@Nullable Object> list(JsonParser parser) {
    List<@Nullable Object> list = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      list.add(value(parser));
    }
    return list;
  }

  private static Problem malformed(long at) {
    return Problem.invalid(
        "body",
        "The body is no JSON that is understood here, from character "
            + at
            + " on: plain JSON of at"
            + " most 8 levels, no name twice in an object, no number over 40 characters.");
  }
}
