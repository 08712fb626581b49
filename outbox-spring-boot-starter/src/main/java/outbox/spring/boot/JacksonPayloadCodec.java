package outbox.spring.boot;

import java.lang.reflect.Type;
import tools.jackson.databind.ObjectMapper;

/** JSON by the application's mapper. */
record JacksonPayloadCodec(ObjectMapper mapper) implements PayloadCodec {

  @Override
  public Object read(String payload, Type type) {
    return mapper.readValue(payload, mapper.constructType(type));
  }

  @Override
  public String write(Object value) {
    return mapper.writeValueAsString(value);
  }
}
