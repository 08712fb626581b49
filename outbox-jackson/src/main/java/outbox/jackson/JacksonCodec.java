package outbox.jackson;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import outbox.PayloadCodec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads as JSON by a mapper of Jackson 3. Thread-safe. */
public final class JacksonCodec implements PayloadCodec {
  private final ObjectMapper mapper;

  /** Creates a codec with Jackson's defaults: it ignores properties that a class does not have. */
  public JacksonCodec() {
    this(JsonMapper.shared());
  }

  /** Creates a codec on a mapper of the application. */
  public JacksonCodec(ObjectMapper mapper) {
    this.mapper = requireNonNull(mapper, "mapper");
  }

  @Override
  public byte[] encode(Object value) {
    try {
      return mapper.writeValueAsBytes(value);
    } catch (JacksonException e) {
      throw Reasons.unwritable(value, e);
    }
  }

  @Override
  public @Nullable Object decode(byte[] payload, Type type) {
    try {
      return mapper.readValue(payload, mapper.constructType(type));
    } catch (UnrecognizedPropertyException e) {
      throw Reasons.unrecognized(e.getPropertyName(), e.getReferringClass(), e.getPathReference());
    } catch (JacksonException e) {
      @Nullable TokenStreamLocation location = e.getLocation();
      throw Reasons.unreadable(
          e.getOriginalMessage(),
          e.getCause(),
          e.getPathReference(),
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
    } catch (JacksonException e) {
      return true;
    }
  }
}
