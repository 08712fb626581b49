package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.EventEnvelope;
import outbox.PayloadCodec;

/** Payloads are written by the mapper that the application has. */
class MapperTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(OutboxJacksonAutoConfiguration.class));

  record Note(String someText) {}

  @Test
  void ofTheLine() {
    application
        .withConfiguration(AutoConfigurations.of(Boot.JACKSON))
        .withPropertyValues("spring.jackson.property-naming-strategy=KEBAB_CASE")
        .run(
            context ->
                assertThat(written(context.getBean(PayloadCodec.class)))
                    .isEqualTo("{\"some-text\":\"x\"}"));
  }

  @Test
  void ofJackson2() {
    application
        .withUserConfiguration(Jackson2.class)
        .run(
            context ->
                assertThat(written(context.getBean(PayloadCodec.class)))
                    .isEqualTo("{\"some_text\":\"x\"}"));
  }

  @Test
  void ofNone() {
    application.run(context -> assertThat(context).doesNotHaveBean(PayloadCodec.class));
  }

  private static String written(PayloadCodec codec) {
    return String.valueOf(
        EventEnvelope.builder("note").payload(new Note("x"), codec).build().payloadJson());
  }

  @Configuration(proxyBeanMethods = false)
  static class Jackson2 {
    @Bean
    ObjectMapper mapper() {
      return new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
    }
  }
}
