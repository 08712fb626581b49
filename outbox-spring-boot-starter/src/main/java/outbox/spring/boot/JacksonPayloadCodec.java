package outbox.spring.boot;

import java.lang.reflect.Type;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.exc.InvalidDefinitionException;

/** JSON by the application's mapper. */
record JacksonPayloadCodec(ObjectMapper mapper) implements PayloadCodec {

  @Override
  public Object read(String payload, Type type) {
    return mapper.readValue(payload, mapper.constructType(type));
  }

  /** Only trying tells whether an interface is mapped to a class, by annotation or by a module. */
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

  @Override
  public String write(Object value) {
    return mapper.writeValueAsString(value);
  }
}
