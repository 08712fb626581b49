package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.jdbc.TableShape.columnSizes;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.jdbc.db.TestDatabase;
import outbox.testing.Spec;

/** What migrating a table of version 1 does; subclasses say {@link On} which database. */
abstract class MigrationContract {
  private static final Duration OLD = Duration.ofMinutes(5);

  @SuppressWarnings("NullAway.Init")
  private TestDatabase database;

  @BeforeEach
  void create(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value());
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  @Spec({"IDEM-01", "IDEM-06", "IDEM-60", "IDEM-67", "IDEM-68"})
  void everyRowOfVersionOneGetsItsIdForAKey() throws SQLException {
    Version1.create(dataSource());
    for (int i = 0; i < 1_234; i++) {
      insertByVersion1("old-" + i, OLD);
    }
    List<MigrationProgress> told = new ArrayList<>();

    schema().migrate(told::add);

    assertThat(schema().rowsWithoutKey()).isZero();
    assertThat(count("idempotency_key = event_id AND payload_text IS NOT NULL")).isEqualTo(1_234);
    assertThat(told).last().extracting(MigrationProgress::step).asString().contains("index");
    assertThat(told)
        .filteredOn(progress -> progress.step().contains("backfill"))
        .last()
        .satisfies(
            progress -> {
              assertThat(progress.rows()).isEqualTo(1_234);
              assertThat(progress.estimatedRows()).isEqualTo(1_234);
              assertThat(progress.rowsPerSecond()).isPositive();
            });
  }

  @Test
  @Spec({"IDEM-02", "IDEM-03", "IDEM-04", "IDEM-05"})
  void aMigratedTableIsLikeANewOne() throws SQLException {
    schema().tableName("other_outbox").deploy();
    Version1.create(dataSource());
    insertByVersion1("old", OLD);

    schema().migrate(progress -> {});
    schema().finalizeUpgrade();

    SchemaStatus status = schema().check();
    assertThat(status.missing()).isEmpty();
    assertThat(status.isUsable()).isTrue();
    assertThat(status.finalized()).isTrue();
    assertThat(columnSizes(dataSource()).keySet())
        .isEqualTo(TableShape.columnSizes(dataSource(), "other_outbox").keySet())
        .contains("done_at", "last_error")
        .doesNotContain("payload");
    assertThat(new HashSet<>(TableShape.indexesOf(dataSource(), "outbox_event")))
        .isEqualTo(new HashSet<>(TableShape.indexesOf(dataSource(), "other_outbox")));
    assertThat(columnSizes(dataSource(), "outbox_event_step")).isEmpty();
  }

  @Test
  @Spec("IDEM-04")
  void aKeyIsUniqueWithinItsTenant() throws SQLException {
    schema().deploy();
    insert("1", "a", "key");
    insert("2", "b", "key");
    insert("3", null, "key");
    insert("4", "a", "4");
    insert("5", "a", "other");

    assertThatThrownBy(() -> insert("6", "a", "key")).isInstanceOf(SQLException.class);
    assertThatThrownBy(() -> insert("7", null, "key")).isInstanceOf(SQLException.class);
    assertThat(count("1 = 1")).isEqualTo(5);
  }

  @Test
  @Spec({"IDEM-60", "IDEM-61"})
  void oldNodesGoOnAndTheirRowsGetAKeyLater() throws SQLException {
    Version1.create(dataSource());
    schema().migrate(progress -> {});
    assertThat(schema().check().finalized()).isFalse();

    insertByVersion1("late", OLD);
    assertThat(schema().rowsWithoutKey()).isEqualTo(1);
    assertThat(schema().check().isUsable()).isTrue();
    schema().migrate(progress -> {});

    assertThat(schema().rowsWithoutKey()).isZero();
  }

  @Test
  @Spec("IDEM-60")
  void finalizingIsRefusedWhileAnOldNodeWrites() throws SQLException {
    Version1.create(dataSource());
    schema().deploy();
    insertByVersion1("just-now", Duration.ofSeconds(10));

    assertThatThrownBy(() -> schema().finalizeUpgrade())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cannot be finalized: 1 rows of the last PT1M")
        .hasMessageContaining("stop it");

    assertThat(columnSizes(dataSource())).containsKey("payload");
    insertByVersion1("still-possible", OLD);
  }

  @Test
  @Spec({"IDEM-01", "IDEM-60"})
  void finalizingFillsTheLastRowsAndThenRequiresAKey() throws SQLException {
    Version1.create(dataSource());
    schema().deploy();
    insertByVersion1("last", OLD);

    schema().finalizeUpgrade();

    assertThat(count("idempotency_key = event_id")).isEqualTo(1);
    assertThatThrownBy(() -> insert("keyless", null, null)).isInstanceOf(SQLException.class);
  }

  @Test
  void theCheckNamesWhatIsMissingAndChangesNothing() throws SQLException {
    assertThat(schema().check().describe()).contains("outbox_event is missing");
    Version1.create(dataSource());

    SchemaStatus status = schema().withJoins().check();

    assertThat(status.isUsable()).isFalse();
    assertThat(status.version()).isEqualTo(1);
    assertThat(status.missing())
        .contains("column idempotency_key", "column owner_token", "index outbox_event_key")
        .contains("table outbox_join");
    assertThat(columnSizes(dataSource())).doesNotContainKey("owner_token");
  }

  @Test
  void anIndexThatWasDroppedIsBuiltAgain() throws SQLException {
    schema().deploy();
    try (Connection connection = dataSource().getConnection()) {
      Dialect dialect = Dialects.of(connection);
      database.execute(
          dialect.product().equals("MariaDB")
              ? "DROP INDEX outbox_event_key ON outbox_event"
              : "DROP INDEX outbox_event_key");
    }
    assertThat(schema().check().missing()).containsExactly("index outbox_event_key");

    schema().deploy();

    assertThat(schema().check().isUsable()).isTrue();
  }

  @Test
  void theScriptOfAnUpgradeDoesTheSame() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("old", OLD);

    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      Dialect dialect = Dialects.of(connection);
      for (String sql : new SchemaScripts(dialect, TableName.DEFAULT).upgrade(1)) {
        statement.execute(sql);
      }
    }

    assertThat(schema().check().isUsable()).isTrue();
    assertThat(schema().rowsWithoutKey()).isZero();
    assertThat(schema().upgradeScript(2))
        .contains("idempotency_key")
        .doesNotContain("owner_token V");
    assertThatThrownBy(() -> schema().upgradeScript(SchemaVersion.CURRENT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private DataSource dataSource() {
    return database.dataSource();
  }

  private OutboxSchema schema() {
    return OutboxSchema.of(dataSource());
  }

  private void insertByVersion1(String id, Duration age) throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      Version1.insert(connection, id, "payload", null, Instant.now().minus(age));
    }
  }

  private void insert(String id, @Nullable String tenant, @Nullable String key)
      throws SQLException {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO outbox_event (event_id, event_type, tenant_id, idempotency_key,"
                    + " payload_text, status, available_at, created_at)"
                    + " VALUES (?, 'Type', ?, ?, '{}', 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)")) {
      insert.setString(1, id);
      insert.setString(2, tenant);
      insert.setString(3, key);
      insert.executeUpdate();
    }
  }

  private int count(String condition) throws SQLException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE " + condition)) {
      row.next();
      return row.getInt(1);
    }
  }
}
