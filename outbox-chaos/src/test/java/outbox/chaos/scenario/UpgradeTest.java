package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.JdbcTransactionManager.Transaction;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/**
 * An upgrade from version 1 while its publisher and its dispatcher run and another transaction
 * stays open: no writer waits long, nothing is lost, a killed migration is gone on with, and old
 * and new nodes then work side by side until the table is finalized.
 *
 * <p>20,000 rows and 3 s; two million (on MariaDB 100,000) and a minute with {@code
 * -Doutbox.chaos=full}.
 */
@Tag("slow")
class UpgradeTest {
  private static final int ROWS = Chaos.events(20_000, 2_000_000);

  /** Writers wait while MariaDB builds an index: not longer than allowed for this many rows. */
  private static final int ROWS_ON_INNODB = Chaos.events(20_000, 100_000);

  private static final Duration OPEN = Duration.ofSeconds(Chaos.events(3, 60));
  private static final int EVENTS_PER_SECOND = 200;
  private static final int SIDE_BY_SIDE = Chaos.events(200, 2_000);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  @TempDir Path directory;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  @Spec({"IDEM-06", "IDEM-60", "IDEM-61", "IDEM-63", "IDEM-68"})
  void noWriterWaitsAndNothingIsLost(Product product) throws Exception {
    int rows = product.isInnoDb() ? ROWS_ON_INNODB : ROWS;
    try (TestDatabase database = TestDatabase.create(product);
        OldPublisher publisher = new OldPublisher(database, EVENTS_PER_SECOND);
        OldDispatcher dispatcher = new OldDispatcher(database)) {
      OldVersion.create(database, rows);
      publisher.start();
      dispatcher.start();
      await().atMost(Chaos.PATIENCE).until(() -> dispatcher.handled().size() > 100);
      publisher.slowest();
      dispatcher.slowest();

      holdOpen(database, "SELECT COUNT(*) FROM outbox_event WHERE event_id < '1'");
      killHalfWay(database, rows);
      holdOpen(
          database,
          "UPDATE outbox_event SET attempts = 0 WHERE event_id = '" + "0".repeat(25) + "7'");
      long began = System.nanoTime();
      long rowsOfTheRest = migrate(database);
      Duration taken = Duration.ofNanos(System.nanoTime() - began);
      Duration slowest = longer(publisher.slowest(), dispatcher.slowest());
      Set<String> handledByNew = sideBySide(database, publisher, dispatcher);

      Chaos.report(
          String.format(
              "upgrade of %d rows on %s: the rest after a kill -9 took %d ms for %d rows,"
                  + " slowest statement of version 1: %d ms",
              rows, product, taken.toMillis(), rowsOfTheRest, slowest.toMillis()));
      assertThat(rowsOfTheRest).isLessThan(rows);
      Set<String> handled = new HashSet<>(dispatcher.handled());
      handled.addAll(handledByNew);
      assertThat(handled).containsAll(publisher.published());
      assertThat(count(database, "status <> 1")).isZero();
      assertThat(count(database, "idempotency_key IS NULL")).isZero();
      assertThat(count(database, "event_type = 'Done' AND payload_text IS NOT NULL"))
          .isEqualTo(rows);
      assertThat(slowest).isLessThan(LONGEST_WAIT);
    } finally {
      timer.shutdownNow();
    }
  }

  private void killHalfWay(TestDatabase database, int rows) throws Exception {
    Path log = directory.resolve("migration.log");
    List<String> arguments = List.of(database.url(), String.valueOf(rows));
    try (Node node = Node.start(MigrationMain.class, log, arguments)) {
      node.awaitLine(MigrationMain.HALF_WAY);
      node.kill();
    }
    assertThat(OutboxSchema.of(database.dataSource()).check().isUsable()).isFalse();
  }

  /** Another transaction that has the table in use, and ends by itself. */
  private void holdOpen(TestDatabase database, String sql) throws SQLException {
    Connection other = database.dataSource().getConnection();
    other.setAutoCommit(false);
    try (Statement statement = other.createStatement()) {
      statement.execute(sql);
    }
    ScheduledFuture<?> unused =
        timer.schedule(
            () -> {
              other.rollback();
              other.close();
              return true;
            },
            OPEN.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** Returns how many rows were looked at. */
  private static long migrate(TestDatabase database) {
    AtomicLong rows = new AtomicLong();
    OutboxSchema.of(database.dataSource())
        .allowLocking()
        .migrate(progress -> rows.accumulateAndGet(progress.rows(), Math::max));
    return rows.get();
  }

  /** A new node beside the old ones, then alone; returns what it has handled. */
  private static Set<String> sideBySide(
      TestDatabase database, OldPublisher publisher, OldDispatcher dispatcher) throws Exception {
    OutboxSchema schema = OutboxSchema.of(database.dataSource()).allowLocking();
    ofANewProducerToTheOldDispatcher(database, dispatcher);
    Set<String> handled = ConcurrentHashMap.newKeySet();
    Set<String> published = new HashSet<>();
    OutboxConfig config = new OutboxConfig().setPollerIntervalMs(200);
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(database.dataSource())
            .config(config)
            .listener(Publishers.EVENT_TYPE, event -> handled.add(event.eventId()))
            .start()) {
      for (int i = 0; i < SIDE_BY_SIDE; i++) {
        EventEnvelope event = EventEnvelope.ofJson(Publishers.EVENT_TYPE, "{}");
        try (Transaction transaction = outbox.transactions().begin()) {
          outbox.publish(event);
          transaction.commit();
        }
        published.add(event.eventId());
      }
      assertThatThrownBy(schema::finalizeUpgrade).hasMessageContaining("cannot be finalized");
      publisher.stop();
      dispatcher.stop();
      await().atMost(Chaos.PATIENCE).until(() -> count(database, "status IN (0, 2)") == 0);
    }
    published.removeAll(dispatcher.handled());
    assertThat(handled).containsAll(published);
    schema.migrate(progress -> {});
    assertThatThrownBy(schema::finalizeUpgrade).hasMessageContaining("cannot be finalized");
    schema.forced().finalizeUpgrade();
    assertThat(schema.check().finalized()).isTrue();
    return handled;
  }

  /** Events without a lease, so that the old dispatcher takes them. */
  private static void ofANewProducerToTheOldDispatcher(
      TestDatabase database, OldDispatcher dispatcher) throws SQLException {
    JdbcOutboxRepository producer = new JdbcOutboxRepository();
    Map<String, String> sent = new HashMap<>();
    try (Connection connection = database.dataSource().getConnection()) {
      for (int i = 0; i < SIDE_BY_SIDE / 10; i++) {
        String payload = "{\"new\":" + i + "}";
        EventEnvelope event = EventEnvelope.ofJson(Publishers.EVENT_TYPE, payload);
        producer.insertNew(connection, event);
        sent.put(event.eventId(), payload);
      }
    }
    await().atMost(Chaos.PATIENCE).until(() -> dispatcher.handled().containsAll(sent.keySet()));
    sent.forEach(
        (id, payload) -> assertThat(dispatcher.payload(id)).isEqualToIgnoringWhitespace(payload));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static int count(TestDatabase database, String condition) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE " + condition)) {
      row.next();
      return row.getInt(1);
    }
  }
}
