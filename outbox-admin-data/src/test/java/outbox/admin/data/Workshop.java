package outbox.admin.data;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.inbox.Inbox;
import outbox.inbox.InboxWorkStore;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.LeasedEventStore;

/** A database with all tables, messages in every state, and the same as operators see it. */
final class Workshop implements AutoCloseable {
  static final OwnerToken OWNER = new OwnerToken("node-1.ABCDEFGHJK.7");
  private static final Duration LEASE = Duration.ofMinutes(5);

  private final TestDatabase database;
  private final JdbcOutbox outbox;
  private final JdbcInbox inbox;
  private final JdbcOutboxRepository store = new JdbcOutboxRepository();
  private final AtomicInteger wakes = new AtomicInteger();
  private final OperatedDatabase operated;

  Workshop(Product product) {
    this.database = TestDatabase.create(product);
    this.outbox =
        JdbcOutbox.builder(database.dataSource()).createSchema().joins().buildWithoutStart();
    InboxSchema.of(database.dataSource()).deploy();
    this.inbox = JdbcInbox.builder(database.dataSource()).buildWithoutStart();
    this.operated =
        OperatedDatabase.builder("orders", database.dataSource())
            .onReplay(wakes::incrementAndGet)
            .build();
  }

  void clear() {
    for (String table :
        List.of(
            "outbox_join_wait",
            "outbox_join_member",
            "outbox_join",
            "outbox_event",
            "outbox_inbox")) {
      database.execute("DELETE FROM " + table);
    }
    wakes.set(0);
  }

  TestDatabase database() {
    return database;
  }

  OperatedDatabase operated() {
    return operated;
  }

  Outbox outbox() {
    return outbox.queue();
  }

  Inbox inbox() {
    return inbox;
  }

  InboxWorkStore inboxWork() {
    return inbox.workStore();
  }

  int wakes() {
    return wakes.get();
  }

  String pending(String topic) {
    return store(EventEnvelope.builder(topic).payloadJson("{\"secret\":1}").build());
  }

  String store(EventEnvelope event) {
    return outbox().enqueue(event).id().value();
  }

  String leased(String topic) {
    return taken(pending(topic));
  }

  String done(String topic) {
    String id = taken(pending(topic));
    outbox().ack(OWNER, List.of(new MessageId(id)));
    return id;
  }

  String retried(String topic, String error) {
    return retried(pending(topic), error, Duration.ofMinutes(1));
  }

  String retried(String id, @Nullable String error, Duration delay) {
    outbox().abandon(OWNER, List.of(new MessageId(taken(id))), error, delay);
    return id;
  }

  String dead(String topic, String error) {
    return dead(EventEnvelope.builder(topic).payloadJson("{}").build(), error);
  }

  String dead(EventEnvelope event, String error) {
    String id = taken(store(event));
    outbox().fail(OWNER, List.of(new MessageId(id)), error);
    return id;
  }

  String taken(String id) {
    return taken(id, LEASE);
  }

  String taken(String id, Duration lease) {
    try (Connection connection = database.dataSource().getConnection()) {
      store.claimById(connection, OWNER.value(), lease, List.of(id));
      return id;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Leases the first. Of the others, one lost its lease, one waits without any, and one was killed
   * under its lease by a node of version 1, which leaves the owner there.
   */
  void leaseTheFirst(List<String> ids) {
    taken(ids.get(0));
    taken(ids.get(1), Duration.ofNanos(1000));
    retried(ids.get(2), "no route", Duration.ofMinutes(1));
    database.execute(
        "UPDATE outbox_event SET status = 3 WHERE event_id = '" + taken(ids.get(3)) + "'");
  }

  /** Whether a handler was at the event when its lease ended, as the column says it. */
  int started(String id) {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement query =
            connection.prepareStatement("SELECT started FROM outbox_event WHERE event_id = ?")) {
      query.setString(1, id);
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Those of the events that are suspect once they are claimed. */
  List<String> suspects(String... ids) {
    try (Connection connection = database.dataSource().getConnection()) {
      return store.claimById(connection, "node-2", LEASE, List.of(ids)).stream()
          .filter(LeasedEventStore.ClaimedEvent::suspect)
          .map(claimed -> claimed.event().eventId())
          .toList();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The time so long ago, in SQL; a negative number is later. */
  String minutesAgo(int minutes) {
    return switch (database.product()) {
      case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER ->
          "UTC_TIMESTAMP(6) - INTERVAL " + minutes + " MINUTE";
      case H2, H2_OLDEST, H2_SPRING_BOOT -> "DATEADD(MINUTE, " + -minutes + ", CURRENT_TIMESTAMP)";
      default -> "now() - INTERVAL '" + minutes + " minutes'";
    };
  }

  @Override
  public void close() {
    inbox.close();
    outbox.close();
    database.close();
  }
}
