package outbox.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParserFactory;

/** What editors are told of the properties. */
final class PropertyMetadata {
  private PropertyMetadata() {}

  /** One property. */
  record Property(String name, String type, String description, @Nullable String defaultValue) {
    private static Property of(Map<?, ?> json) {
      return new Property(
          String.valueOf(json.get("name")),
          String.valueOf(json.get("type")),
          json.containsKey("description") ? String.valueOf(json.get("description")) : "",
          json.containsKey("defaultValue") ? String.valueOf(json.get("defaultValue")) : null);
    }
  }

  static List<Property> all() {
    String file = "META-INF/spring-configuration-metadata.json";
    try (InputStream json = OutboxProperties.class.getClassLoader().getResourceAsStream(file)) {
      String text = new String(requireNonNull(json, file).readAllBytes(), UTF_8);
      Object properties = JsonParserFactory.getJsonParser().parseMap(text).get("properties");
      return ((List<?>) requireNonNull(properties))
          .stream().map(each -> Property.of((Map<?, ?>) each)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
