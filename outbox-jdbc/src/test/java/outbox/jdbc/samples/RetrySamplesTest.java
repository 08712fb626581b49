package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.RetryAfterException;
import outbox.contracts.support.Spec;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.model.EventStatus;

class RetrySamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final Shop shop = new Shop();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void rulesOfATopicAndOfAllOthers() throws Exception {
    // region retries
    Retries untilTomorrow =
        Retries.exponential(Duration.ofSeconds(1), Duration.ofMinutes(10))
            .jitter(0.2)
            .maxAttempts(50)
            .maxAge(Duration.ofDays(1))
            .never(InvalidOrderException.class)
            .always(ConnectException.class);

    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .handler("order.ship", (message, context) -> shop.ship(message.payload()))
            .handler("order.mail", (message, context) -> shop.mail(message.payload()))
            .retries(Retries.patient())
            .retries("order.ship", untilTomorrow);
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      String invalid = publish(outbox, "order.ship", "invalid");
      String busy = publish(outbox, "order.mail", "busy");
      database.awaitStatus(invalid, EventStatus.DEAD);
      database.awaitStatus(busy, EventStatus.RETRY);
      assertThat(
              database.number(
                  "SELECT COUNT(*) FROM outbox_event WHERE event_id = ?"
                      + " AND available_at > created_at + INTERVAL '4' MINUTE",
                  busy))
          .isEqualTo(1);
    }
  }

  @Test
  @Spec({"IDEM-32", "IDEM-33", "IDEM-34", "IDEM-35", "IDEM-36", "IDEM-37"})
  void theOptionsOfTheIdempotencySpecification() throws Exception {
    // region idempotency-options
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .config(
                new OutboxConfig()
                    .setPollerIntervalMs(5_000)
                    .setPollerBatchSize(100)
                    .setRetryMaxAttempts(5))
            .retries(Retries.fixed(Duration.ofSeconds(10)).jitter(0.2))
            .store(JdbcOutboxRepository.builder().maxErrorLength(2000).build());
    // endregion

    try (JdbcOutbox outbox =
        builder
            .createSchema()
            .listener(
                "Any",
                event -> {
                  throw new IllegalStateException("x".repeat(5_000));
                })
            .start()) {
      String id = publish(outbox, "Any", "{}");
      database.awaitStatus(id, EventStatus.RETRY);
      assertThat(
              database.number(
                  "SELECT CHAR_LENGTH(last_error) FROM outbox_event WHERE event_id = ?", id))
          .isEqualTo(2000);
    }
  }

  private static String publish(JdbcOutbox outbox, String topic, String payload) throws Exception {
    EventEnvelope message = EventEnvelope.ofJson(topic, payload);
    outbox.inTransaction(
        connection -> {
          String unused = outbox.publish(message);
        });
    return message.eventId();
  }

  /** A shop whose mail server is busy. */
  static final class Shop {
    void ship(String order) throws InvalidOrderException {
      if (order.equals("invalid")) {
        throw new InvalidOrderException();
      }
    }

    // region retry-after
    void mail(String order) {
      MailServer.Answer answer = MailServer.send(order);
      if (answer.status() == 429) {
        throw new RetryAfterException(answer.retryAfter(), "the mail server is busy");
      }
    }
    // endregion
  }

  static final class MailServer {
    private MailServer() {}

    static Answer send(String order) {
      return new Answer(order.equals("busy") ? 429 : 200, Duration.ofMinutes(5));
    }

    record Answer(int status, Duration retryAfter) {}
  }

  static final class InvalidOrderException extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
