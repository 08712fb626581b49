package outbox.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionOperations;

/** Application events marked as external are stored in the publisher's transaction, or refused. */
class ExternalEventTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  OutboxAutoConfiguration.class,
                  OutboxJacksonAutoConfiguration.class,
                  Boot.JACKSON,
                  Boot.DATA_SOURCE,
                  Boot.TRANSACTION_MANAGER,
                  Boot.TRANSACTIONS,
                  Boot.JDBC_TEMPLATE))
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  private final ApplicationContextRunner bridged =
      application.withPropertyValues("outbox.application-events=true");

  @Test
  void storedWithTheTransactionOfThePublisher() {
    bridged.run(
        context -> {
          publish(context, new Shipped("a"));

          assertThat(topics(context)).containsExactly("shipped");
        });
  }

  @Test
  void storedInTheTransactionEvenIfListenersRunInOtherThreads() {
    bridged
        .withUserConfiguration(Asynchronous.class)
        .run(
            context -> {
              publish(context, new Shipped("a"));

              assertThat(topics(context)).containsExactly("shipped");
            });
  }

  @Test
  void storedWithWhatItSaysOfItself() {
    bridged.run(
        context -> {
          Instant due = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);
          publish(context, new Booked("a", "north", due.atOffset(ZoneOffset.UTC), "blue"));
          publish(context, new Booked("a", "north", due.atOffset(ZoneOffset.UTC), "blue"));
          publish(context, new Booked("a", "south", null, null));

          List<Map<String, Object>> stored =
              context
                  .getBean(JdbcTemplate.class)
                  .queryForList("SELECT * FROM outbox_event ORDER BY tenant_id");
          assertThat(stored).as("one for each key of a tenant").hasSize(2);
          assertThat(stored.get(0))
              .containsEntry("TENANT_ID", "north")
              .containsEntry("IDEMPOTENCY_KEY", "booking-a")
              .containsEntry("AGGREGATE_TYPE", "Booking")
              .containsEntry("AGGREGATE_ID", "a");
          assertThat(headers(stored.get(0))).contains("colour", "blue", "2");
          assertThat(dueAt(stored.get(0))).isEqualTo(due);
          assertThat(stored.get(1)).containsEntry("TENANT_ID", "south");
          assertThat(headers(stored.get(1))).doesNotContain("colour");
        });
  }

  @Test
  void refusedIfItsExpressionsCannotBeEvaluated() {
    bridged.run(
        context -> {
          assertThatThrownBy(() -> publish(context, new Misspelt("a")))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContainingAll("Misspelt", "key", "nosuch");
          assertThatThrownBy(() -> publish(context, new Untimely("noon")))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContainingAll("Untimely", "dueAt", "java.lang.String", "Instant")
              .hasMessageNotContaining("noon");
          assertThat(topics(context)).isEmpty();
        });
  }

  @Test
  void othersMayPublishWhileBeansAreStillBeingMade() {
    bridged
        .withUserConfiguration(Talkative.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void refusedWithoutTransaction() {
    bridged.run(
        context ->
            assertThatThrownBy(() -> context.publishEvent(new Shipped("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs an active transaction"));
  }

  @Test
  void refusedIfItCannotLeaveTheApplication() {
    bridged.run(
        context ->
            assertThatThrownBy(() -> publish(context, new OldStyle(this)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("OldStyle", "extends ApplicationEvent"));
  }

  @Test
  void refusedWhileUndecided() {
    application.run(
        context ->
            assertThatThrownBy(() -> publish(context, new Shipped("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("Shipped", "outbox.application-events"));
  }

  @Test
  void staysInsideIfTheApplicationSaysSo() {
    application
        .withPropertyValues("outbox.application-events=false")
        .run(
            context -> {
              publish(context, new Shipped("a"));

              assertThat(topics(context)).isEmpty();
            });
  }

  private static void publish(ApplicationContext context, Object event) {
    context
        .getBean(TransactionOperations.class)
        .executeWithoutResult(status -> context.publishEvent(event));
  }

  private static String headers(Map<String, Object> row) {
    return row.get("HEADERS") instanceof byte[] json ? new String(json, UTF_8) : "";
  }

  private static Instant dueAt(Map<String, Object> row) {
    return ((OffsetDateTime) Objects.requireNonNull(row.get("DUE_AT"))).toInstant();
  }

  private static List<String> topics(ApplicationContext context) {
    return context
        .getBean(JdbcTemplate.class)
        .queryForList("SELECT event_type FROM outbox_event", String.class);
  }

  @ExternalEvent("shipped")
  record Shipped(String order) {}

  @ExternalEvent(
      value = "booked",
      key = "'booking-' + id",
      tenant = "tenant",
      aggregateType = "Booking",
      aggregateId = "id",
      dueAt = "due",
      headers = "{colour: colour, v: 2}")
  record Booked(String id, String tenant, @Nullable OffsetDateTime due, @Nullable String colour) {}

  @ExternalEvent(value = "misspelt", key = "nosuch")
  record Misspelt(String id) {}

  @ExternalEvent(value = "untimely", dueAt = "time")
  record Untimely(String time) {}

  @ExternalEvent("old")
  static class OldStyle extends ApplicationEvent {
    private static final long serialVersionUID = 1L;

    OldStyle(Object source) {
      super(source);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Talkative {
    @Bean
    PlatformTransactionManager manager(DataSource dataSource, ApplicationEventPublisher events) {
      events.publishEvent("a transaction manager is being made");
      return new JdbcTransactionManager(dataSource);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Asynchronous {
    @Bean(destroyMethod = "shutdown")
    ExecutorService executor() {
      return Executors.newSingleThreadExecutor();
    }

    @Bean
    ApplicationEventMulticaster applicationEventMulticaster(ExecutorService executor) {
      SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
      multicaster.setTaskExecutor(executor);
      return multicaster;
    }
  }
}
