package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
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
                  JacksonAutoConfiguration.class,
                  DataSourceAutoConfiguration.class,
                  DataSourceTransactionManagerAutoConfiguration.class,
                  TransactionAutoConfiguration.class,
                  JdbcTemplateAutoConfiguration.class))
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

  private static List<String> topics(ApplicationContext context) {
    return context
        .getBean(JdbcTemplate.class)
        .queryForList("SELECT event_type FROM outbox_event", String.class);
  }

  @ExternalEvent("shipped")
  record Shipped(String order) {}

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
