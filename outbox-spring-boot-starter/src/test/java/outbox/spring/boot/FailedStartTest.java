package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static outbox.spring.boot.FailedStarts.APPLICATION;
import static outbox.spring.boot.FailedStarts.failureOf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** What cannot work fails at the start, and says what to do. */
class FailedStartTest {
  @Test
  void withoutSchema() {
    FailureAnalysis failure =
        failureOf(APPLICATION.withPropertyValues("outbox.schema.initialize=never"));

    assertThat(failure.getDescription()).contains("is missing");
    assertThat(failure.getAction()).contains("outbox.schema.initialize=always");
  }

  @Test
  void withSettingsThatContradictEachOther() {
    assertThat(
            failureOf(APPLICATION.withPropertyValues("outbox.dispatcher.lease-duration=50ms"))
                .getDescription())
        .contains("leaseDuration (PT0.05S) must be longer than twice flushInterval");
  }

  @ParameterizedTest
  @CsvSource({
    "outbox.dispatcher.workers=0,dispatcherWorkers (0) must be at least 1",
    "outbox.table=a b,a b",
    "outbox.retention.completed=-1d,completed (PT-24H)"
  })
  void withSettingThatIsOutOfRange(String property, String complaint) {
    FailureAnalysis failure = failureOf(APPLICATION.withPropertyValues(property));

    assertThat(failure.getDescription()).contains("The outbox cannot start", complaint);
    assertThat(failure.getAction()).contains("outbox.*");
  }

  @Test
  void withTwoCodecs() {
    FailureAnalysis failure = failureOf(APPLICATION.withUserConfiguration(TwoCodecs.class));

    assertThat(failure.getDescription()).contains("several: one, two");
    assertThat(failure.getAction()).contains("@Primary");
  }

  @Test
  void withApplicationEventsButNothingThatWritesThem() {
    FailureAnalysis failure =
        failureOf(
            new ApplicationContextRunner()
                .withConfiguration(
                    AutoConfigurations.of(
                        OutboxAutoConfiguration.class, DataSourceAutoConfiguration.class))
                .withPropertyValues(
                    "spring.datasource.generate-unique-name=true",
                    "outbox.application-events=true"));

    assertThat(failure.getDescription()).contains("outbox.application-events (true)");
    assertThat(failure.getAction()).contains("PayloadCodec");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void userSeesTheReasonInsteadOfAStackTrace(CapturedOutput output) {
    SpringApplication broken =
        new SpringApplication(RefusedListenerTest.Unbindable.class, Automatic.class);
    Throwable thrown =
        catchThrowableOfType(
            Exception.class,
            () ->
                broken.run(
                    "--spring.main.web-application-type=none",
                    "--spring.datasource.generate-unique-name=true"));

    assertThat(thrown).isInstanceOf(OutboxSetupException.class);
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "cannot be bound: int", "Action:")
        .doesNotContain("\tat outbox");
  }

  @EnableAutoConfiguration
  static class Automatic {}

  @Configuration(proxyBeanMethods = false)
  static class TwoCodecs {
    @Bean
    PayloadCodec one() {
      return new JacksonPayloadCodec(JsonMapper.shared());
    }

    @Bean
    PayloadCodec two() {
      return one();
    }
  }
}
