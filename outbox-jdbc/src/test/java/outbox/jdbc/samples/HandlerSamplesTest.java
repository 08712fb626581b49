package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.TransactionalOutboxHandler;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutbox;
import outbox.model.EventStatus;

class HandlerSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final Gateway gateway = new Gateway();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  @Spec("OBXU-12")
  void handlerThatSendsEachMailOnce() throws Exception {
    Mails mails = new Mails();
    // region email-handler
    class EmailHandler implements OutboxHandler {
      @Override
      public String topic() {
        return "email.send";
      }

      @Override
      public void handle(OutboxMessage message, HandlerContext context) {
        String id = message.messageId().value();
        if (mails.hasBeenSent(id)) {
          return;
        }
        mails.send(message.payload());
        mails.recordSent(id);
      }
    }

    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource).createSchema().handler(new EmailHandler());
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      String id = publish(outbox, "email.send", "Hello");
      database.awaitDone(id);
      assertThat(mails.sent).containsExactly("Hello");
    }
  }

  @Test
  void handlerDecidesWhatBecomesOfItsMessage() throws Exception {
    // region handler
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .handler(
                "payment.collect",
                (message, context) -> {
                  if (gateway.isClosed()) {
                    throw new DeferException(Duration.ofMinutes(15));
                  }
                  if (!gateway.knows(message.payload())) {
                    throw new PermanentFailureException("unknown account");
                  }
                  gateway.collect(message.messageId().value(), message.payload());
                });
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      String collected = publish(outbox, "payment.collect", "known");
      String refused = publish(outbox, "payment.collect", "nobody");
      database.awaitDone(collected);
      database.awaitStatus(refused, EventStatus.DEAD);
      assertThat(gateway.collected).containsExactly(collected);
    }
  }

  @Test
  void eachListenerSucceedsOrFailsByItself() throws Exception {
    List<String> mails = new CopyOnWriteArrayList<>();
    List<String> audit = new CopyOnWriteArrayList<>();
    Broker broker = new Broker();
    // region several-listeners
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listener("order.placed", "mail", event -> mails.add(event.payloadJson()))
            .listener("order.placed", "broker", event -> broker.send(event.payloadJson()))
            .listenerOfAll("audit", event -> audit.add(event.eventType()));
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      database.awaitDone(publish(outbox, "order.placed", "{}"));
      assertThat(mails).containsExactly("{}");
      assertThat(audit).containsExactly("order.placed");
      assertThat(broker.sent).containsExactly("refused {}", "{}");
    }
  }

  @Test
  void longWorkStopsWhenItIsToldTo() throws Exception {
    // region long-work
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .handler(
                "report.build",
                (message, context) -> {
                  Report report = new Report(message.payload());
                  context.onCancel(report::stop);
                  report.build();
                  if (context.renewLease()) {
                    report.send();
                  }
                });
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      database.awaitDone(publish(outbox, "report.build", "sales"));
    }
  }

  @Test
  void transactionalHandlerWritesAndDefersInOneTransaction() throws Exception {
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .transactionalHandler(new ReserveStock())
            .start()) {
      String reserved = publish(outbox, "stock.reserve", "book");
      String waiting = publish(outbox, "stock.reserve", "lamp");
      database.awaitDone(reserved);
      database.awaitDeferred(waiting);
    }
    assertThat(database.number("SELECT quantity FROM stock")).isEqualTo(9);
  }

  private static String publish(JdbcOutbox outbox, String topic, String payload) throws Exception {
    EventEnvelope message = EventEnvelope.ofJson(topic, payload);
    outbox.inTransaction(
        connection -> {
          String unused = outbox.publish(message);
        });
    return message.eventId();
  }

  /** Fails once after a mail was sent and recorded, so that its message comes again. */
  private static final class Mails {
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final List<String> recorded = new CopyOnWriteArrayList<>();

    boolean hasBeenSent(String messageId) {
      return recorded.contains(messageId);
    }

    void send(String text) {
      sent.add(text);
    }

    void recordSent(String messageId) {
      recorded.add(messageId);
      throw new IllegalStateException("the connection broke");
    }
  }

  // region transactional-handler
  static final class ReserveStock implements TransactionalOutboxHandler {
    @Override
    public String topic() {
      return "stock.reserve";
    }

    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) throws SQLException {
      try (PreparedStatement update =
          connection.prepareStatement(
              "UPDATE stock SET quantity = quantity - 1 WHERE item = ? AND quantity > 0")) {
        update.setString(1, message.payload());
        boolean reserved = update.executeUpdate() == 1;
        return reserved ? HandlerResult.done() : HandlerResult.deferred(Duration.ofHours(1));
      }
    }
  }

  // endregion

  /** Stands for a payment service. */
  private static final class Gateway {
    final List<String> collected = new CopyOnWriteArrayList<>();

    boolean isClosed() {
      return false;
    }

    boolean knows(String account) {
      return account.equals("known");
    }

    void collect(String idempotencyKey, String account) {
      assertThat(account).isEqualTo("known");
      collected.add(idempotencyKey);
    }
  }

  /** Stands for work that takes long. */
  private record Report(String name) {
    void build() {
      assertThat(name).isEqualTo("sales");
    }

    void send() {}

    void stop() {}
  }

  /** Refuses what comes first. */
  private static final class Broker {
    private final List<String> sent = new CopyOnWriteArrayList<>();

    void send(@Nullable String payload) {
      if (sent.isEmpty()) {
        sent.add("refused " + payload);
        throw new IllegalStateException("away");
      }
      sent.add(String.valueOf(payload));
    }
  }
}
