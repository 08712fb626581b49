package outbox.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.PayloadCodec;
import outbox.jackson.Jackson2Codec;
import outbox.jackson.JacksonCodec;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes payloads by the application's own mapper, of Jackson 3 or else of Jackson 2. */
@AutoConfiguration(
    afterName = {
      BootModules.JACKSON_4 + "JacksonAutoConfiguration",
      BootModules.JACKSON2_4 + "Jackson2AutoConfiguration",
      BootModules.JACKSON_3 + "JacksonAutoConfiguration"
    })
public class OutboxJacksonAutoConfiguration {

  /** Made by Spring. */
  OutboxJacksonAutoConfiguration() {}

  /** Jackson 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(JsonMapper.class)
  static class Mapper3 {
    @Bean
    @ConditionalOnBean(JsonMapper.class)
    @ConditionalOnMissingBean(PayloadCodec.class)
    PayloadCodec outboxPayloadCodec(JsonMapper mapper) {
      return new JacksonCodec(mapper);
    }
  }

  /** Jackson 2, for applications that have no other mapper. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ObjectMapper.class)
  static class Mapper2 {
    @Bean
    @ConditionalOnBean(ObjectMapper.class)
    @ConditionalOnMissingBean(
        value = PayloadCodec.class,
        type = "tools.jackson.databind.json.JsonMapper")
    PayloadCodec outboxJackson2PayloadCodec(ObjectMapper mapper) {
      return new Jackson2Codec(mapper);
    }
  }
}
