package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.EventType;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutbox;
import outbox.model.EventStatus;

class ListenerSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final Producer producer = new Producer();
  private final Consumer consumer = new Consumer();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  @Spec("FRM-85")
  void listenerThatPublishesToABrokerPassesTheEventIdOn() throws Exception {
    // region broker
    EventListener toBroker =
        event ->
            producer.send(
                event.eventType(), Map.of("eventId", event.eventId()), event.payloadJson());
    // endregion

    EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
    toBroker.onEvent(event);
    toBroker.onEvent(event);
    Message expected = new Message("OrderPlaced", Map.of("eventId", event.eventId()), "{}");
    assertThat(producer.sent).containsExactly(expected, expected);
  }

  @Test
  @Spec({"FRM-06", "OBX-052"})
  void consumerDropsWhatItHasSeen() throws Exception {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE handled_event (event_id VARCHAR(36) PRIMARY KEY)");
      connection.setAutoCommit(false);
      consumer.onMessage(connection, "E1");
      consumer.onMessage(connection, "E1");
    }
    assertThat(consumer.handled).containsExactly("E1");
    assertThat(database.number("SELECT quantity FROM stock")).isEqualTo(9);
  }

  @Test
  void transactionalListenerWritesTogetherWithTheCompletion() throws Exception {
    // region transactional
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .transactionalListener(
                "OrderPlaced",
                (event, connection) -> {
                  try (PreparedStatement update =
                      connection.prepareStatement(
                          "UPDATE stock SET quantity = quantity - 1 WHERE item = ?")) {
                    update.setString(1, event.payloadJson());
                    update.executeUpdate();
                  }
                });
    // endregion

    try (JdbcOutbox outbox = builder.start()) {
      String eventId = publish(outbox, EventEnvelope.ofJson("OrderPlaced", "book"));
      database.awaitDone(eventId);
    }
    assertThat(database.number("SELECT quantity FROM stock")).isEqualTo(9);
  }

  @Test
  void savepointRolledBackTakesItsEventsWithIt() throws Exception {
    Set<String> received = ConcurrentHashMap.newKeySet();
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listenerOfAll(event -> received.add(event.eventType()))
            .start()) {
      // region savepoint
      outbox.inTransaction(
          connection -> {
            outbox.publish(EventEnvelope.ofJson("OrderPlaced", "{}"));
            Savepoint savepoint = connection.setSavepoint();
            outbox.publish(EventEnvelope.ofJson("BonusGranted", "{}"));
            connection.rollback(savepoint);
          });
      // endregion
    }
    assertThat(received).containsExactly("OrderPlaced");
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  /** The trap that the guarantees page warns of; this pins what it says. */
  @Test
  void savepointRolledBackBySqlTextTakesItsEventWithIt() throws Exception {
    Set<String> received = ConcurrentHashMap.newKeySet();
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listenerOfAll(event -> received.add(event.eventType()))
            .start()) {
      outbox.inTransaction(
          connection -> {
            execute(connection, "SAVEPOINT before_bonus");
            outbox.publish(EventEnvelope.ofJson("BonusGranted", "{}"));
            execute(connection, "ROLLBACK TO SAVEPOINT before_bonus");
          });
    }
    assertThat(received).isEmpty();
    assertThat(database.number("SELECT COUNT(*) FROM outbox_event")).isZero();
  }

  @Test
  void eventsCanBeDueLaterAndExpire() throws Exception {
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .createSchema()
            .listener(ShopEvents.REMINDER_DUE, event -> {})
            .start()) {
      // region due
      EventEnvelope reminder =
          EventEnvelope.builder(ShopEvents.REMINDER_DUE)
              .dueAt(Instant.now().plus(Duration.ofHours(24)))
              .expiresAt(Instant.now().plus(Duration.ofHours(48)))
              .payloadJson("{\"orderId\":42}")
              .build();
      // endregion
      String later = publish(outbox, reminder);
      String expired =
          publish(
              outbox,
              EventEnvelope.builder(ShopEvents.REMINDER_DUE)
                  .expiresAt(Instant.now().minusSeconds(1))
                  .payloadJson("{}")
                  .build());
      database.awaitStatus(expired, EventStatus.DEAD);
      assertThat(database.status(later)).isEqualTo(EventStatus.NEW.code());
    }
  }

  private static String publish(JdbcOutbox outbox, EventEnvelope event) throws Exception {
    outbox.inTransaction(
        connection -> {
          String unused = outbox.publish(event);
        });
    return event.eventId();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  // region event-type
  enum ShopEvents implements EventType {
    ORDER_PLACED,
    REMINDER_DUE
  }

  // endregion

  /** Stands for the client of a broker. */
  private static final class Producer {
    final List<Message> sent = new CopyOnWriteArrayList<>();

    void send(String topic, Map<String, String> headers, @Nullable String body) {
      sent.add(new Message(topic, headers, body));
    }
  }

  private record Message(String topic, Map<String, String> headers, @Nullable String body) {}

  /** The other side of the broker. */
  private static final class Consumer {
    final List<String> handled = new CopyOnWriteArrayList<>();

    // region consumer
    void onMessage(Connection connection, String eventId) throws SQLException {
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO handled_event (event_id) SELECT CAST(? AS VARCHAR(36))"
                  + " WHERE NOT EXISTS (SELECT 1 FROM handled_event WHERE event_id = ?)")) {
        insert.setString(1, eventId);
        insert.setString(2, eventId);
        if (insert.executeUpdate() == 1) {
          handle(connection, eventId);
        }
      }
      connection.commit();
    }

    // endregion

    private void handle(Connection connection, String eventId) throws SQLException {
      execute(connection, "UPDATE stock SET quantity = quantity - 1");
      handled.add(eventId);
    }
  }
}
