package outbox.jackson;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import outbox.PayloadCodec;

/** Payloads as JSON by a mapper of Jackson 2. Thread-safe. */
public final class Jackson2Codec implements PayloadCodec {
  private final ObjectMapper mapper;

  /**
   * Creates a codec that reads and writes as Jackson 3 does by default: it ignores properties that
   * a class does not have, and writes times as text. Needs {@code jackson-datatype-jsr310} for
   * {@code java.time}; it uses all modules on the class path.
   */
  public Jackson2Codec() {
    this(
        JsonMapper.builder()
            .findAndAddModules()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .build());
  }

  /** Creates a codec on a mapper of the application. */
  public Jackson2Codec(ObjectMapper mapper) {
    this.mapper = requireNonNull(mapper, "mapper");
  }

  @Override
  public byte[] encode(Object value) {
    try {
      return mapper.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw Reasons.unwritable(value, e);
    }
  }

  @Override
  public @Nullable Object decode(byte[] payload, Type type) throws IOException {
    try {
      return mapper.readValue(payload, mapper.constructType(type));
    } catch (UnrecognizedPropertyException e) {
      throw Reasons.unrecognized(e.getPropertyName(), e.getReferringClass(), e.getPathReference());
    } catch (JsonProcessingException e) {
      @Nullable JsonLocation location = e.getLocation();
      throw Reasons.unreadable(
          e.getOriginalMessage(),
          e.getCause(),
          e instanceof JsonMappingException mapping ? mapping.getPathReference() : "",
          location == null ? 0 : location.getLineNr(),
          location == null ? 0 : location.getColumnNr());
    }
  }

  /** Only a trial tells whether an interface is mapped to a class, by annotation or by a module. */
  @Override
  public boolean canRead(Type type) {
    JavaType target = mapper.constructType(type);
    if (target.isConcrete()) {
      return true;
    }
    try {
      mapper.readValue("{}", target);
      return true;
    } catch (InvalidDefinitionException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
