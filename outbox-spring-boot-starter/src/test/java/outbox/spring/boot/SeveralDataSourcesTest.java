package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.jdbc.JdbcOutbox;

/** Two databases, each with its outbox and its transactions. */
@SpringBootTest(
    classes = SeveralDataSourcesTest.Application.class,
    properties = {
      "spring.main.web-application-type=none",
      "spring.datasource.generate-unique-name=true"
    })
class SeveralDataSourcesTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  @Autowired OutboxClient client;
  @Autowired PlatformTransactionManager transactions;
  @Autowired DataSource dataSource;

  @Autowired
  @Qualifier("billing")
  JdbcOutbox billing;

  @Autowired
  @Qualifier("billingTransactions")
  PlatformTransactionManager billingTransactions;

  @Autowired
  @Qualifier("billingDatabase")
  DataSource billingDatabase;

  @Autowired MeterRegistry meters;

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  @Test
  void eachListenerHearsOfItsOwnOutbox() {
    new TransactionTemplate(transactions)
        .executeWithoutResult(status -> client.publish(EventEnvelope.ofJson("sent", "order")));
    new TransactionTemplate(billingTransactions)
        .executeWithoutResult(status -> billing.publish(EventEnvelope.ofJson("sent", "invoice")));

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> assertThat(SEEN).containsExactlyInAnyOrder("own order", "billing invoice"));
    assertThat(payloads(dataSource)).contains("order").doesNotContain("invoice");
    assertThat(payloads(billingDatabase)).contains("invoice").doesNotContain("order");
  }

  @Test
  void transactionOfTheOtherDatabaseIsRefused() {
    TransactionTemplate other = new TransactionTemplate(billingTransactions);

    assertThatThrownBy(
            () ->
                other.executeWithoutResult(
                    status -> client.publish(EventEnvelope.ofJson("sent", "lost"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is not one of the outbox's data source");
  }

  @Test
  void secondOutboxIsMeasuredApart() {
    assertThat(meters.get("outbox.dispatched").tag("queue", "billing").counters()).isNotEmpty();
  }

  private static List<String> payloads(DataSource dataSource) {
    return new JdbcTemplate(dataSource)
        .queryForList("SELECT payload_text FROM outbox_event", String.class);
  }

  // region spring-second
  @Configuration(proxyBeanMethods = false)
  static class Billing {
    @Bean(defaultCandidate = false)
    DataSource billingDatabase() {
      return DataSourceBuilder.create().url("jdbc:h2:mem:billing").username("sa").build();
    }

    @Bean(defaultCandidate = false)
    JdbcTransactionManager billingTransactions(
        @Qualifier("billingDatabase") DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean(defaultCandidate = false)
    JdbcOutbox billing(
        OutboxBuilders outboxes,
        @Qualifier("billingDatabase") DataSource dataSource,
        @Qualifier("billingTransactions") PlatformTransactionManager transactions) {
      return outboxes.outbox("billing", dataSource, transactions).build();
    }

    @OutboxListener(value = "sent", outbox = "billing")
    void sent(String invoice) {
      SEEN.add("billing " + invoice);
    }
  }

  // endregion

  @EnableAutoConfiguration
  @Import(Billing.class)
  static class Application {
    @OutboxListener("sent")
    void sent(String order) {
      SEEN.add("own " + order);
    }
  }
}
