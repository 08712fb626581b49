package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.OutboxSchema;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;

/** The parts wired by hand, as Appendix B of the specification does. */
class TransactionalMethodTest {
  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext(Application.class);
  private final Shop shop = context.getBean(Shop.class);

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  @Spec({"FRM-18", "FRM-94"})
  void clientPublishesInsideTransactionalMethod() {
    shop.place("a");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(Application.HANDLED).contains("a"));
  }

  @Test
  @Spec({"FRM-18", "FRM-94"})
  void methodThatThrowsPublishesNothing() {
    assertThatThrownBy(() -> shop.placeAndFail("b")).isInstanceOf(IllegalStateException.class);

    assertThat(
            new JdbcTemplate(context.getBean(DataSource.class))
                .queryForObject("SELECT count(*) FROM outbox_event", Integer.class))
        .isZero();
  }

  /** Some business code. */
  static class Shop {
    private final OutboxClient client;

    Shop(OutboxClient client) {
      this.client = client;
    }

    @Transactional
    public void place(String order) {
      client.publish(EventEnvelope.ofJson("placed", order));
    }

    @Transactional
    public void placeAndFail(String order) {
      place(order);
      throw new IllegalStateException("sold out");
    }
  }

  @Configuration
  @EnableTransactionManagement
  static class Application {
    static final List<String> HANDLED = new CopyOnWriteArrayList<>();

    @Bean
    DataSource dataSource() {
      DataSource dataSource = TestDatabases.h2();
      OutboxSchema.of(dataSource).deploy();
      return dataSource;
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcOutboxRepository repository() {
      return new JdbcOutboxRepository();
    }

    @Bean
    OutboxDispatcher dispatcher(DataSource dataSource, JdbcOutboxRepository repository) {
      return OutboxDispatcher.builder(new DataSourceConnectionProvider(dataSource), repository)
          .listeners(
              new DefaultListenerRegistry()
                  .register("placed", event -> HANDLED.add(String.valueOf(event.payloadJson()))))
          .build();
    }

    @Bean
    OutboxClient client(
        DataSource dataSource, JdbcOutboxRepository repository, OutboxDispatcher dispatcher) {
      SpringTxContext txContext = new SpringTxContext(dataSource);
      return new OutboxClient(txContext, repository, dispatcher, MetricsExporter.NOOP);
    }

    @Bean
    Shop shop(OutboxClient client) {
      return new Shop(client);
    }
  }
}
