package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.LeasedEventStore.ClaimRequest;

/**
 * What InnoDB locks beside the rows themselves. At REPEATABLE READ, its default, a statement locks
 * the gaps that it reads, and an insert into a gap waits. A transaction of an application that
 * stays open must not make other applications wait.
 */
class GapLockTest {
  private static final String OWNER = "me";
  private static final int ROWS = 40;

  private final JdbcOutboxRepository store = new JdbcOutboxRepository();
  private final JdbcInboxStore inbox = new JdbcInboxStore();

  /** What a transaction has done that stays open. */
  private enum Held {
    PUBLISHED,
    PUBLISHED_BY_A_NEW_KEY,
    PUBLISHED_BY_A_KNOWN_KEY,
    COMPLETED,
    FAILED,
    RECEIVED,
    READ_ALL
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void anOpenTransactionAtRepeatableReadKeepsOthersNeitherFromInsertingNorFromClaiming(
      Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).deploy();
      InboxSchema.of(database.dataSource()).deploy();
      for (Held held : Held.values()) {
        othersGoOnBeside(held, database);
        database.execute("TRUNCATE TABLE outbox_event", "TRUNCATE TABLE outbox_inbox");
      }
    }
  }

  private void othersGoOnBeside(Held held, TestDatabase database) throws SQLException {
    try (Connection holder = database.connect();
        Connection other = database.connect()) {
      fill(other);
      List<String> leased = claim(other, 10);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      holder.setAutoCommit(false);
      hold(holder, held, leased);
      execute(other, "SET SESSION innodb_lock_wait_timeout = 1");

      assertThatCode(() -> work(other)).as(held.name()).doesNotThrowAnyException();

      assertThat(claim(other, ROWS)).hasSizeGreaterThanOrEqualTo(ROWS - leased.size());
      holder.commit();
    }
  }

  private void fill(Connection connection) {
    store.insertAll(
        connection,
        IntStream.range(0, ROWS)
            .mapToObj(i -> i % 2 == 0 ? EventEnvelope.ofJson("Any", "{}") : keyed("key-" + i))
            .toList(),
        null);
    for (int i = 0; i < ROWS; i += 2) {
      inbox.receive(connection, inbound(i));
    }
  }

  private void hold(Connection connection, Held held, List<String> leased) throws SQLException {
    switch (held) {
      case PUBLISHED -> store.insertNew(connection, EventEnvelope.ofJson("Any", "{}"));
      case PUBLISHED_BY_A_NEW_KEY -> store.insert(connection, keyed("key-1000"), null);
      case PUBLISHED_BY_A_KNOWN_KEY -> store.insert(connection, keyed("key-7"), null);
      case COMPLETED -> store.ack(connection, OWNER, leased);
      case FAILED -> store.markDead(connection, leased.get(0), "broken");
      case RECEIVED -> inbox.receive(connection, inbound(ROWS + 1));
      case READ_ALL -> execute(connection, "SELECT COUNT(*) FROM outbox_event");
    }
  }

  /** Inserts before, between and behind what is there. */
  private void work(Connection connection) {
    for (int i = 0; i < ROWS; i += 2) {
      store.insertNew(connection, EventEnvelope.ofJson("Any", "{}"));
      store.insert(connection, keyed("key-" + i), null);
      inbox.receive(connection, inbound(i + 1));
    }
    store.insert(connection, keyed("a"), null);
    store.insert(connection, keyed("z"), null);
  }

  private List<String> claim(Connection connection, int limit) {
    return store
        .claim(
            connection,
            new ClaimRequest(
                OWNER, Duration.ofMinutes(1), limit, Long.MAX_VALUE, null, Duration.ZERO))
        .events()
        .stream()
        .map(claimed -> claimed.event().eventId())
        .toList();
  }

  private static EventEnvelope keyed(String key) {
    return EventEnvelope.builder("Any").idempotencyKey(key).payloadJson("{}").build();
  }

  private static InboundMessage inbound(int number) {
    return InboundMessage.of(new InboxKey("shop", "message-" + number), "topic", "{}");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
