package outbox.jackson;

import outbox.PayloadCodec;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JacksonCodecTest extends JacksonContract {
  @Override
  PayloadCodec codec() {
    return new JacksonCodec();
  }

  @Override
  PayloadCodec strict() {
    return new JacksonCodec(
        JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build());
  }
}
