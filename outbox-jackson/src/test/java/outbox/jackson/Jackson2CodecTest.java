package outbox.jackson;

import com.fasterxml.jackson.databind.json.JsonMapper;
import outbox.PayloadCodec;

class Jackson2CodecTest extends JacksonContract {
  @Override
  PayloadCodec codec() {
    return new Jackson2Codec();
  }

  @Override
  PayloadCodec strict() {
    return new Jackson2Codec(JsonMapper.builder().findAndAddModules().build());
  }
}
