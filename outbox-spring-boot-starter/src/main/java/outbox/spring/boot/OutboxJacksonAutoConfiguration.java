package outbox.spring.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes payloads by the application's own mapper. */
@AutoConfiguration(
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(JsonMapper.class)
public class OutboxJacksonAutoConfiguration {

  /** Made by Spring. */
  OutboxJacksonAutoConfiguration() {}

  @Bean
  @ConditionalOnBean(JsonMapper.class)
  @ConditionalOnMissingBean(PayloadCodec.class)
  PayloadCodec outboxPayloadCodec(JsonMapper mapper) {
    return new JacksonPayloadCodec(mapper);
  }
}
