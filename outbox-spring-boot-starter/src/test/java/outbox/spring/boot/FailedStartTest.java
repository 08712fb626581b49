package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static outbox.spring.boot.FailedStarts.APPLICATION;
import static outbox.spring.boot.FailedStarts.failureOf;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.PayloadCodec;
import outbox.contracts.support.Spec;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.UnsupportedDatabaseException;

/** What cannot work fails at the start, and says what to do. */
class FailedStartTest {
  @Test
  @Spec("OBX-103")
  void aDatabaseThatOutlivesTheApplicationIsLeftAsItIsUnlessAsked(@TempDir Path folder)
      throws Exception {
    String url = "jdbc:h2:file:" + folder.resolve("shop");

    FailureAnalysis failure =
        failureOf(APPLICATION.withPropertyValues("spring.datasource.url=" + url));

    assertThat(failure.getDescription()).contains("table outbox_event is missing");
    try (Connection connection = DriverManager.getConnection(url);
        ResultSet tables = connection.getMetaData().getTables(null, "PUBLIC", "%", null)) {
      assertThat(tables.next()).isFalse();
    }
  }

  @Test
  @Spec("OBX-103")
  void withoutSchema() {
    FailureAnalysis failure =
        failureOf(APPLICATION.withPropertyValues("outbox.schema.initialize=never"));

    assertThat(failure.getDescription())
        .contains("table outbox_event is missing", "outbox schema migrate --joins")
        .contains("for Flyway, Liquibase or a DBA: outbox schema print --joins");
    assertThat(failure.getAction())
        .contains("outbox.schema.initialize=always")
        .contains("OutboxSchema.of(dataSource).withJoins().script()");
  }

  @Test
  void withoutTheTablesOfJoins() {
    FailureAnalysis failure =
        failureOf(
            APPLICATION
                .withUserConfiguration(TablesWithoutJoins.class)
                .withPropertyValues("outbox.schema.initialize=never"));

    assertThat(failure.getDescription())
        .contains("table outbox_join is missing; run: outbox schema migrate --joins");
    assertThat(failure.getAction())
        .contains("OutboxSchema.of(dataSource).withJoins().script()")
        .contains("outbox.joins.enabled=false");
  }

  @Test
  void withoutTheTableOfTheOutboxAlone() {
    FailureAnalysis failure =
        failureOf(
            APPLICATION.withPropertyValues(
                "outbox.schema.initialize=never", "outbox.joins.enabled=false"));

    assertThat(failure.getDescription()).contains("run: outbox schema migrate, or");
    assertThat(failure.getAction())
        .contains("OutboxSchema.of(dataSource).script()")
        .doesNotContain("joins");
  }

  @Test
  void withoutTheTableOfTheInbox() {
    FailureAnalysis failure =
        failureOf(
            APPLICATION
                .withUserConfiguration(TablesWithoutJoins.class, Receiver.class)
                .withPropertyValues(
                    "outbox.schema.initialize=never", "outbox.joins.enabled=false"));

    assertThat(failure.getDescription()).contains("outbox schema migrate --inbox");
    assertThat(failure.getAction()).contains("InboxSchema.of(dataSource).script()");
  }

  @Test
  void onADatabaseThatIsNotSupported() {
    OutboxSetupException refused =
        catchThrowableOfType(
            OutboxSetupException.class,
            () ->
                OutboxFactory.explained(
                    OutboxFactory.OWN,
                    () -> {
                      throw new UnsupportedDatabaseException("Oracle", "23ai", List.of("H2", "X"));
                    }));

    assertThat(refused)
        .hasMessageStartingWith("The outbox cannot start: database Oracle 23ai is not supported");
    assertThat(refused.action()).isEqualTo("Use one of H2, X.");
  }

  @Test
  void withSettingsThatContradictEachOther() {
    FailureAnalysis failure =
        failureOf(APPLICATION.withPropertyValues("outbox.dispatcher.lease-duration=50ms"));

    assertThat(failure.getDescription())
        .contains("leaseDuration (PT0.05S) must be longer than twice flushInterval");
    assertThat(failure.getAction())
        .contains("outbox.dispatcher.lease-duration or outbox.dispatcher.flush-interval");
  }

  @Test
  void withJoinsOfWhatIsDeletedWhenDone() {
    FailureAnalysis failure =
        failureOf(APPLICATION.withPropertyValues("outbox.delete-when-done=true"));

    assertThat(failure.getDescription()).contains("deleteWhenDone (true) excludes joins()");
    assertThat(failure.getAction()).contains("outbox.delete-when-done or outbox.joins.enabled");
  }

  @ParameterizedTest
  @CsvSource({
    "outbox.dispatcher.workers=0,dispatcherWorkers (0) must be at least 1",
    "outbox.dispatcher.hot-queue-size=0B,hotQueueBytes (0)",
    "outbox.dispatcher.drain-timeout=-1s,drainTimeout (PT-1S)",
    "outbox.poller.interval=0s,pollerIntervalMs (0)",
    "outbox.retry.max-attempts=0,retryMaxAttempts (0)",
    "outbox.table=a b,a b",
    "outbox.node=a b,node (a b)",
    "outbox.retention.completed=-1d,completed (PT-24H)",
    "outbox.retention.joins=-1d,joins (PT-24H)"
  })
  void withSettingThatIsOutOfRange(String property, String complaint) {
    FailureAnalysis failure = failureOf(APPLICATION.withPropertyValues(property));

    assertThat(failure.getDescription()).contains("The outbox cannot start", complaint);
    assertThat(failure.getAction())
        .isEqualTo("Change " + property.substring(0, property.indexOf('=')) + ".");
  }

  @ParameterizedTest
  @CsvSource({
    "outbox.inbox.table=a b,a b",
    "outbox.inbox.dedup-window=-1d,completed (PT-24H)",
    "outbox.inbox.payload-retention=-1d,payloads (PT-24H)"
  })
  void withSettingOfTheInboxThatIsOutOfRange(String property, String complaint) {
    FailureAnalysis failure =
        failureOf(APPLICATION.withUserConfiguration(Receiver.class).withPropertyValues(property));

    assertThat(failure.getDescription()).contains("The inbox cannot start", complaint);
    assertThat(failure.getAction())
        .isEqualTo("Change " + property.substring(0, property.indexOf('=')) + ".");
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
                    AutoConfigurations.of(OutboxAutoConfiguration.class, Boot.DATA_SOURCE))
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

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void userSeesThePropertyThatNamesNoBean(CapturedOutput output) {
    assertThat(
            catchThrowableOfType(
                Exception.class,
                () ->
                    new SpringApplication(Automatic.class)
                        .run(
                            "--spring.main.web-application-type=none",
                            "--spring.datasource.generate-unique-name=true",
                            "--outbox.datasource=nosuch")))
        .isNotNull();

    assertThat(output)
        .contains("outbox.datasource (nosuch) names no bean of type DataSource", "dataSource.");
  }

  @EnableAutoConfiguration
  static class Automatic {}

  @Configuration(proxyBeanMethods = false)
  static class TablesWithoutJoins {
    @Bean
    static BeanPostProcessor deployment() {
      return new BeanPostProcessor() {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
          if (bean instanceof DataSource dataSource) {
            OutboxSchema.of(dataSource).deploy();
          }
          return bean;
        }
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Receiver {
    @InboxListener("paid")
    void paid(String payload) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoCodecs {
    @Bean
    PayloadCodec one() {
      return Boot.codec();
    }

    @Bean
    PayloadCodec two() {
      return one();
    }
  }
}
