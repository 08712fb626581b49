package shop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.OutboxClient;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.OutboxJacksonAutoConfiguration;

/** A slice has no outbox, and can have one. */
class JpaSliceTest {

  @Nested
  @JpaSlice
  class Alone {
    @Autowired Purchases purchases;
    @Autowired ApplicationContext context;

    @Test
    void repositoriesNeedNoOutbox() {
      purchases.save(new Purchase("sliced", 5));

      assertThat(purchases.count()).isOne();
      assertThat(context.getBeanNamesForType(OutboxClient.class)).isEmpty();
    }
  }

  @Nested
  @JpaSlice
  @ImportAutoConfiguration({OutboxAutoConfiguration.class, OutboxJacksonAutoConfiguration.class})
  class WithOutbox {
    @Autowired OutboxClient outbox;
    @Autowired JdbcTemplate jdbc;

    @Test
    void publishJoinsTheTransactionOfTheTest() {
      outbox.publish("order.placed", "{}");

      assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class)).isOne();
    }
  }
}
