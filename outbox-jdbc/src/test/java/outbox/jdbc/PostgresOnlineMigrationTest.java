package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.MigrationProgress;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.StoreException;

/** What a migration on PostgreSQL waits for, and what it must not keep waiting. */
@Tag("slow")
class PostgresOnlineMigrationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final ExecutorService nodes = Executors.newFixedThreadPool(2);
  private final List<String> steps = new CopyOnWriteArrayList<>();

  @BeforeEach
  void createVersion1() throws SQLException {
    Version1.create(database.dataSource());
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, "old", "payload", null, Instant.now().minusSeconds(300));
    }
  }

  @AfterEach
  void drop() {
    nodes.shutdownNow();
    database.close();
  }

  @Test
  @Spec("IDEM-60")
  void noStepRewritesTheTable() throws SQLException {
    String before = query("SELECT pg_relation_filenode('outbox_event')");
    String primaryKey = query("SELECT pg_relation_filenode('outbox_event_pkey')");

    schema().deploy();
    schema().finalizeUpgrade();

    assertThat(query("SELECT pg_relation_filenode('outbox_event')")).isEqualTo(before);
    assertThat(query("SELECT pg_relation_filenode('outbox_event_pkey')")).isEqualTo(primaryKey);
  }

  @Test
  @Spec("IDEM-60")
  void anIndexWhoseBuildWasCutOffIsDroppedAndBuiltAgain() throws Exception {
    try (Connection reader = openSnapshot()) {
      Future<?> first = nodes.submit(() -> schema().migrate(this::note));
      awaitStep("builds the index");
      await().atMost(PATIENCE).until(() -> terminate("%CREATE INDEX CONCURRENTLY%") > 0);
      assertThatThrownBy(() -> first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .hasCauseInstanceOf(StoreException.class);
      reader.rollback();
    }
    assertThat(schema().check().missing()).anyMatch(what -> what.endsWith("build was interrupted"));
    steps.clear();

    schema().migrate(this::note);

    assertThat(steps).anyMatch(step -> step.contains("drops the unfinished index"));
    assertThat(schema().check().isUsable()).isTrue();
    assertThat(query("SELECT count(*) FROM pg_index WHERE NOT indisvalid")).isEqualTo("0");
  }

  @Test
  @Spec("IDEM-60")
  void twoNodesAtOnceDoNotWaitForEachOther() throws Exception {
    try (Connection reader = openSnapshot()) {
      Future<?> first = nodes.submit(() -> schema().migrate(this::note));
      awaitStep("builds the index");
      Future<?> second = nodes.submit(() -> schema().deploy());
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  !query(
                          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                              + " AND query LIKE '%pg_try_advisory_lock%'"
                              + " AND pid <> pg_backend_pid()")
                      .equals("0"));
      reader.rollback();
      first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(schema().check().isUsable()).isTrue();
  }

  @Test
  @Spec("IDEM-60")
  void whoWaitsForTheTableLetsOthersPass() throws Exception {
    Future<?> migration;
    try (Connection writer = openTransaction();
        Statement statement = writer.createStatement()) {
      statement.execute("UPDATE outbox_event SET attempts = 0");
      migration = nodes.submit(() -> schema().migrate(this::note));
      awaitStep("alters the table");
      for (int i = 0; i < 5; i++) {
        long began = System.nanoTime();
        try (Connection old = database.connect("+00:00");
            Statement limit = old.createStatement()) {
          limit.execute("SET statement_timeout = '10s'");
          Version1.insert(old, "passing-" + i, "payload", null, Instant.now());
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
      }
      writer.commit();
    }
    migration.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void aLockedRowIsPassedOverAndFilledLater() throws Exception {
    schema().deploy();
    try (Connection writer = openTransaction();
        Statement statement = writer.createStatement()) {
      try (Connection old = database.dataSource().getConnection()) {
        Version1.insert(old, "free", "payload", null, Instant.now());
        Version1.insert(old, "locked", "payload", null, Instant.now());
      }
      statement.execute("UPDATE outbox_event SET attempts = 0 WHERE event_id = 'locked'");
      schema().migrate(this::note);
      assertThat(schema().rowsWithoutKey()).isEqualTo(1);
      writer.commit();
    }

    schema().migrate(this::note);

    assertThat(schema().rowsWithoutKey()).isZero();
  }

  private OutboxSchema schema() {
    return OutboxSchema.of(database.dataSource());
  }

  private void note(MigrationProgress progress) {
    steps.add(progress.step());
  }

  private void awaitStep(String words) {
    await().atMost(PATIENCE).until(() -> steps.stream().anyMatch(step -> step.contains(words)));
  }

  /** A transaction with a snapshot, for which an index that is built concurrently waits. */
  private Connection openSnapshot() throws SQLException {
    Connection connection = openTransaction();
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
    }
    return connection;
  }

  private Connection openTransaction() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private int terminate(String statement) throws SQLException {
    return Integer.parseInt(
        query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                + " AND state = 'active' AND query LIKE '"
                + statement
                + "'"));
  }

  private String query(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
