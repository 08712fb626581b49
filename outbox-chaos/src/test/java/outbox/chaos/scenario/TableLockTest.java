package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * Another session locks the tables for longer than the engine waits for an answer. What the engine
 * gives up ends in the server too, so that its sessions there stay as many as its pools have
 * connections.
 *
 * <p>20 tries of each node behind the lock; 300 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class TableLockTest {
  private static final int POOL_SIZE = 8;
  private static final int EVENTS = 12;
  private static final int TRIES = Chaos.events(20, 300);

  /** A session that was told to end, or opened for a cancellation, is seen for a moment more. */
  private static final int TRANSIENT_SESSIONS = 6;

  /** Long enough for the cancellation to be in time on a machine that is busy with other work. */
  private static final OutboxConfig CONFIG =
      new OutboxConfig()
          .setDispatcherWorkers(4)
          .setLeaseDuration(Duration.ofSeconds(8))
          .setNetworkTimeout(Duration.ofSeconds(4))
          .setPollerIntervalMs(200)
          .setDrainTimeout(Duration.ZERO);

  @ParameterizedTest
  @EnumSource(
      value = Product.class,
      names = {"POSTGRES_NEWEST", "POSTGRES_OLDEST", "MARIADB", "MYSQL"})
  void leavesNoSessionsBehindInTheServer(Product product) throws Exception {
    Set<String> effects = ConcurrentHashMap.newKeySet();
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (TestDatabase database = TestDatabase.create(product);
        LockedNode one = new LockedNode(database, effects, locked, released);
        LockedNode two = new LockedNode(database, effects, locked, released)) {
      Set<String> published = ConcurrentHashMap.newKeySet();
      for (int i = 0; i < EVENTS; i++) {
        published.add(one.publish(i));
        published.add(two.publish(i));
      }
      await().atMost(Chaos.PATIENCE).until(() -> one.isBusy() && two.isBusy());
      int most = 0;
      try (Connection lock = DriverManager.getConnection(database.url())) {
        lockAll(lock, product);
        int before = one.tries() + two.tries();
        locked.countDown();
        while (one.tries() + two.tries() < before + 2 * TRIES) {
          most = Math.max(most, sessions(database));
          await().pollDelay(Duration.ofMillis(20)).until(() -> true);
        }
      }
      released.countDown();
      Chaos.report(product + " behind a table lock: at most " + most + " sessions");
      // One more is that of the lock itself, and the test's own pool.
      assertThat(most).isLessThanOrEqualTo(2 * POOL_SIZE + 2 + TRANSIENT_SESSIONS);
      await().atMost(Chaos.PATIENCE).until(() -> effects.containsAll(published));
      await().atMost(Chaos.PATIENCE).until(() -> unfinished(database) == 0);
    }
  }

  private static void lockAll(Connection lock, Product product) throws SQLException {
    List<String> tables = tables(lock);
    if (product.isInnoDb()) {
      execute(lock, "LOCK TABLES " + String.join(" WRITE, ", tables) + " WRITE");
    } else {
      lock.setAutoCommit(false);
      execute(lock, "LOCK TABLE " + String.join(", ", tables) + " IN ACCESS EXCLUSIVE MODE");
    }
  }

  private static List<String> tables(Connection connection) throws SQLException {
    List<String> names = new ArrayList<>();
    DatabaseMetaData data = connection.getMetaData();
    try (ResultSet row =
        data.getTables(connection.getCatalog(), null, "outbox%", new String[] {"TABLE"})) {
      while (row.next()) {
        names.add(row.getString("TABLE_NAME"));
      }
    }
    assertThat(names).contains("outbox_event", "outbox_inbox");
    return names;
  }

  private static int sessions(TestDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      return count(
          connection,
          database.product().isInnoDb()
              ? "SELECT count(*) FROM information_schema.processlist WHERE db = '"
                  + database.name()
                  + "'"
              : "SELECT count(*) FROM pg_stat_activity WHERE datname = '" + database.name() + "'");
    }
  }

  private static int unfinished(TestDatabase database) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      return count(connection, "SELECT count(*) FROM outbox_event WHERE status <> 1")
          + count(connection, "SELECT count(*) FROM outbox_inbox WHERE status <> 1");
    }
  }

  private static int count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** An outbox and an inbox on one pool, whose listeners wait until the tables are locked. */
  private static final class LockedNode implements AutoCloseable {
    private final CountingPool pool;
    private final AtomicInteger begun = new AtomicInteger();
    private final JdbcOutbox outbox;
    private final JdbcInbox inbox;

    private LockedNode(
        TestDatabase database, Set<String> effects, CountDownLatch locked, CountDownLatch released)
        throws SQLException {
      this.pool = new CountingPool(database.url(), POOL_SIZE);
      this.outbox =
          JdbcOutbox.builder(pool)
              .createSchema()
              .joins()
              .config(CONFIG)
              .listener(
                  "ends-behind-the-lock",
                  event -> {
                    begun.incrementAndGet();
                    locked.await();
                    effects.add(event.eventId());
                  })
              .listener(
                  "is-renewed-behind-the-lock",
                  event -> {
                    begun.incrementAndGet();
                    released.await();
                    effects.add(event.eventId());
                  })
              .transactionalListener(
                  "commits-behind-the-lock",
                  (event, connection) -> {
                    begun.incrementAndGet();
                    locked.await();
                    effects.add(event.eventId());
                  })
              .start();
      this.inbox =
          JdbcInbox.builder(pool)
              .createSchema()
              .config(CONFIG)
              .transactionalHandler(
                  "topic", (message, connection) -> effects.add(message.messageId()))
              .start();
    }

    private String publish(int i) throws Exception {
      if (i % 4 == 3) {
        String id = "message-" + System.identityHashCode(this) + "-" + i;
        inbox.receive(new InboxKey("test", id), "topic", "{}");
        return id;
      }
      List<String> types =
          List.of("ends-behind-the-lock", "is-renewed-behind-the-lock", "commits-behind-the-lock");
      EventEnvelope event = EventEnvelope.ofJson(types.get(i % 4), "{}");
      outbox.inTransaction(connection -> outbox.publish(event));
      return event.eventId();
    }

    private boolean isBusy() {
      return begun.get() >= CONFIG.getDispatcherWorkers();
    }

    private int tries() {
      return pool.taken();
    }

    @Override
    public void close() {
      inbox.close();
      outbox.close();
      pool.close();
    }
  }
}
