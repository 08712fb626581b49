package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import outbox.PayloadCodec;
import outbox.jackson.JacksonCodec;

class BothMappersTest {

  @Test
  void thatOfJackson3WritesPayloadsWhereThereAreBoth() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(OutboxJacksonAutoConfiguration.class, Boot.JACKSON))
        .withBean(ObjectMapper.class, ObjectMapper::new)
        .run(
            context ->
                assertThat(context.getBean(PayloadCodec.class)).isInstanceOf(JacksonCodec.class));
  }
}
