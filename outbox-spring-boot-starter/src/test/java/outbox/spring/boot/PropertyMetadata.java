package outbox.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What editors are told of the properties. */
final class PropertyMetadata {
  private PropertyMetadata() {}

  static List<JsonNode> all() {
    String file = "META-INF/spring-configuration-metadata.json";
    try (InputStream json = OutboxProperties.class.getClassLoader().getResourceAsStream(file)) {
      String text = new String(requireNonNull(json, file).readAllBytes(), UTF_8);
      JsonNode properties = JsonMapper.shared().readTree(text).path("properties");
      return StreamSupport.stream(properties.spliterator(), false).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
