package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.FailedStarts.APPLICATION;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.jdbc.JdbcOutbox;
import outbox.spring.SpringTransactionRunner;
import outbox.spring.SpringTxContext;

/** What an application can change of the outbox beyond its properties. */
class ReplacedBeansTest {
  private static final List<String> HANDLED = new CopyOnWriteArrayList<>();

  @Test
  void outboxOfTheApplicationReplacesThatOfTheStarter() {
    APPLICATION
        .withUserConfiguration(OwnOutbox.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasSingleBean(JdbcOutbox.class);
              JdbcOutbox outbox = context.getBean("outbox", JdbcOutbox.class);
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                  .executeWithoutResult(status -> outbox.publish("own", "{}"));

              await().atMost(Duration.ofSeconds(30)).until(() -> HANDLED.contains("own"));
            });
  }

  @Test
  void beanOfTheNameOutboxMayBeAnything() {
    APPLICATION
        .withBean("outbox", String.class, () -> "mine")
        .withBean("inbox", String.class, () -> "mine")
        .run(
            context ->
                assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(outbox.Outbox.class)
                    .hasSingleBean(JdbcOutbox.class));
  }

  @Test
  void customizersChangeTheBuildersInTheirOrder() {
    APPLICATION
        .withUserConfiguration(Customized.class)
        .withPropertyValues("outbox.node=by-property")
        .run(
            context -> {
              OutboxFactory factory = context.getBean(OutboxFactory.class);
              assertThat(factory.builder(factory.database(), QueueMetrics.OUTBOX))
                  .hasFieldOrPropertyWithValue("node", "second");
              assertThat(factory.inboxBuilder()).hasFieldOrPropertyWithValue("node", "inbox");
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnOutbox {
    @Bean
    JdbcOutbox outbox(DataSource dataSource, DataSourceTransactionManager manager) {
      return JdbcOutbox.builder(dataSource)
          .createSchema()
          .transactions(
              new SpringTxContext(dataSource).watch(manager),
              new SpringTransactionRunner(manager, dataSource))
          .buildWithoutStart();
    }

    @OutboxListener("own")
    void on(String payload) {
      HANDLED.add("own");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Customized {
    @Bean
    @Order(2)
    OutboxBuilderCustomizer second() {
      return builder -> builder.node("second");
    }

    @Bean
    @Order(1)
    OutboxBuilderCustomizer first() {
      return builder -> builder.node("first");
    }

    @Bean
    InboxBuilderCustomizer ofInbox() {
      return builder -> builder.node("inbox");
    }
  }
}
