package outbox.spring.boot;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;

/** How much of an error is kept is a property, for outbox and inbox. */
class ErrorLengthTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  static class Listeners {
    @OutboxListener("broken")
    void handle(String payload) {
      throw new IllegalStateException("x".repeat(500));
    }

    @InboxListener("broken")
    void receive(String payload) {
      throw new IllegalStateException("x".repeat(500));
    }
  }

  @Test
  @Spec("IDEM-37")
  void theErrorIsCutAtTheLengthThatThePropertySays() {
    FailedStarts.APPLICATION
        .withBean(Listeners.class)
        .withPropertyValues(
            "outbox.max-error-text-length=100", "outbox.retry.use-exponential-backoff=false")
        .run(
            context -> {
              JdbcTemplate database = new JdbcTemplate(context.getBean(javax.sql.DataSource.class));
              OutboxClient client = context.getBean(OutboxClient.class);
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                  .executeWithoutResult(tx -> client.publish(EventEnvelope.ofJson("broken", "{}")));
              context
                  .getBean(Inbox.class)
                  .enqueue(InboundMessage.of(new InboxKey("shop", "1"), "broken", "{}"));

              await()
                  .atMost(LONG)
                  .untilAsserted(
                      () -> {
                        assertThat(length(database, "outbox_event")).isEqualTo(100);
                        assertThat(length(database, "outbox_inbox")).isEqualTo(100);
                      });
            });
  }

  private static int length(JdbcTemplate database, String table) {
    return requireNonNull(
        database.queryForObject(
            "SELECT COALESCE(MAX(CHAR_LENGTH(last_error)), 0) FROM " + table, Integer.class));
  }
}
