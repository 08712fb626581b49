package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.ReceiveResult;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

class BatchSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void eventsGoToASearchIndexManyAtATime() throws Exception {
    Index index = new Index();
    // region batch-listener
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .batchListener(
                "product.changed",
                Batches.of(100).linger(Duration.ofMillis(20)),
                batch -> {
                  for (EventEnvelope refused : index.update(batch.events())) {
                    batch.failed(refused, new IllegalStateException("refused by the index"));
                  }
                });
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      publish(outbox, "product.changed", 30);
      await().until(() -> index.updated.size() == 30);
    }
  }

  @Test
  void payloadsOfABatchAreObjects() throws Exception {
    Index index = new Index();
    // region typed-batch-listener
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .batchListener(
                "product.changed",
                Product.class,
                Batches.of(100),
                products -> index.updateAll(products));
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      outbox.inTransaction(
          connection -> outbox.publish("product.changed", new Product(7, "chair")));
      await().until(() -> index.products.equals(List.of(new Product(7, "chair"))));
    }
  }

  @Test
  void effectsAndTheEndOfABatchAreOneTransaction() throws Exception {
    createLedger();
    // region transactional-batch
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .transactionalBatchListener(
                "payment.booked",
                Batches.of(100),
                (batch, connection) -> {
                  try (PreparedStatement insert =
                      connection.prepareStatement("INSERT INTO ledger VALUES (?, ?)")) {
                    for (EventEnvelope event : batch.events()) {
                      insert.setString(1, event.eventId());
                      insert.setString(2, event.payloadJson());
                      insert.addBatch();
                    }
                    insert.executeBatch();
                  }
                });
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      publish(outbox, "payment.booked", 20);
      await().until(() -> database.number("SELECT COUNT(*) FROM ledger") == 20);
    }
  }

  @Test
  void aPollOfABrokerIsReceivedByOneCall() throws Exception {
    Index index = new Index();
    // region inbox-batch
    JdbcInbox.Builder builder =
        JdbcInbox.builder(dataSource)
            .createSchema()
            .batchHandler(
                "price.changed",
                Batches.of(100),
                batch -> {
                  for (InboxMessage message : batch.messages()) {
                    if (!index.accepts(message.payload())) {
                      batch.failed(message, new IllegalStateException("unknown product"));
                    }
                  }
                });
    // endregion

    try (JdbcInbox inbox = builder.start()) {
      List<InboundMessage> polled =
          IntStream.range(0, 10)
              .mapToObj(
                  i -> InboundMessage.of(new InboxKey("shop", "m" + i), "price.changed", "{}"))
              .toList();
      // region receive-all
      List<ReceiveResult> results = inbox.receiveAll(polled);
      long known = results.stream().filter(result -> !result.isNew()).count();
      // endregion
      assertThat(known).isZero();
      await().until(() -> index.accepted.size() == 10);
    }
  }

  private static void publish(JdbcOutbox outbox, String topic, int events) {
    outbox.inTransaction(
        connection ->
            outbox.publishAll(
                IntStream.range(0, events)
                    .mapToObj(i -> EventEnvelope.ofJson(topic, "{}"))
                    .toList()));
  }

  private void createLedger() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement create =
            connection.prepareStatement(
                "CREATE TABLE ledger (event_id VARCHAR(64) PRIMARY KEY, entry VARCHAR(200))")) {
      create.executeUpdate();
    }
  }

  record Product(long id, String name) {}

  /** A search index that takes many documents by one call. */
  private static final class Index {
    private final List<String> updated = new CopyOnWriteArrayList<>();
    private final List<Product> products = new CopyOnWriteArrayList<>();
    private final List<String> accepted = new CopyOnWriteArrayList<>();

    List<EventEnvelope> update(List<EventEnvelope> events) {
      events.forEach(event -> updated.add(event.eventId()));
      return List.of();
    }

    void updateAll(List<Product> all) {
      products.addAll(all);
    }

    boolean accepts(String payload) {
      return accepted.add(payload);
    }
  }
}
