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
import java.util.concurrent.atomic.AtomicInteger;
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
  private static final Duration OLD = Duration.ofHours(1);

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
        .hasMessageContaining("cannot be finalized: 1 rows of the last PT5M")
        .hasMessageContaining("stop it")
        .hasMessageContaining("--force");

    assertThat(columnSizes(dataSource())).containsKey("payload");
    insertByVersion1("still-possible", OLD);
  }

  @Test
  @Spec("IDEM-60")
  void finalizingIsRefusedAlthoughTheRowsOfAnOldNodeHaveBeenFilledIn() throws SQLException {
    Version1.create(dataSource());
    schema().deploy();
    insertByVersion1("just-now", Duration.ofSeconds(10));
    schema().migrate(progress -> {});
    assertThat(schema().rowsWithoutKey()).isZero();

    assertThatThrownBy(() -> schema().finalizeUpgrade())
        .hasMessageContaining("cannot be finalized: 1 rows");

    schema().forced().finalizeUpgrade();
    assertThat(schema().check().finalized()).isTrue();
  }

  @Test
  @Spec("IDEM-60")
  void finalizingIsRefusedWhileAnOldNodeOnlyDispatches() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("handled", OLD);
    schema().migrate(progress -> {});
    try (Connection connection = dataSource().getConnection()) {
      Version1.markDone(connection, "handled", Instant.now());
    }

    assertThatThrownBy(() -> schema().finalizeUpgrade())
        .hasMessageContaining("cannot be finalized: 1 rows");
  }

  @Test
  void finalizingGoesOnWhereverItWasCutOff() throws SQLException {
    schema().tableName("other_outbox").deploy();
    int statements = finalization().size();
    for (int done = 0; done <= statements; done++) {
      Version1.create(dataSource());
      insertByVersion1("old", OLD);
      schema().migrate(progress -> {});
      execute(finalization().subList(0, done));

      schema().finalizeUpgrade();

      assertThat(schema().check().finalized()).as("after " + done).isTrue();
      assertThat(new HashSet<>(TableShape.indexesOf(dataSource(), "outbox_event")))
          .as("after " + done)
          .isEqualTo(new HashSet<>(TableShape.indexesOf(dataSource(), "other_outbox")));
      assertThat(columnSizes(dataSource(), "outbox_event_step")).isEmpty();
      assertThatThrownBy(() -> insertWithoutPayload("live"))
          .as("after " + done)
          .isInstanceOf(SQLException.class);
      assertThat(count("payload_text IS NOT NULL")).isEqualTo(1);
      database.execute("DROP TABLE outbox_event", "DROP TABLE outbox_event_schema");
    }
  }

  @Test
  @Spec("IDEM-60")
  void theBackfillEndsAlthoughAnOldNodeWritesFasterThanItFills() throws SQLException {
    Version1.create(dataSource());
    for (int i = 0; i < 300; i++) {
      insertByVersion1("a%06d".formatted(i), OLD);
    }
    AtomicInteger written = new AtomicInteger();

    schema()
        .backfillRate(500)
        .migrate(
            progress -> {
              if (progress.step().contains("backfill") && written.get() < 10_000) {
                insertAheadOfIt(written, 1_000);
              }
            });

    assertThat(written).hasValueLessThan(10_000);
  }

  @Test
  void purgingAPayloadClearsThatOfVersionOneToo() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("done", OLD);
    schema().migrate(progress -> {});
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (Connection connection = dataSource().getConnection()) {
      Version1.markDone(connection, "done", Instant.now().minus(OLD));
      assertThat(store.purgePayloads(connection, Duration.ofMinutes(1), 10)).isEqualTo(1);
      assertThat(count("payload IS NULL AND payload_text IS NULL AND kept = 0")).isEqualTo(1);

      schema().finalizeUpgrade();
      insert("new", null, "new");
      Version1.markDone(connection, "new", Instant.now().minus(OLD));
      assertThat(store.purgePayloads(connection, Duration.ofMinutes(1), 10)).isEqualTo(1);
    }
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
  @Spec({"IDEM-01", "IDEM-60"})
  void finalizingFillsHoweverManyRowsCameMeanwhile() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("z", OLD);
    schema().migrate(progress -> {});
    for (int i = 0; i < 450; i++) {
      insertByVersion1("behind-" + i, OLD);
    }

    try (SchemaSession session =
        SchemaSession.open(dataSource()::getConnection, TableName.DEFAULT)) {
      ProgressMeter meter = new ProgressMeter(TableName.DEFAULT, progress -> {});
      new Finalization(session, meter, new Backfill(0, 1)).run(false);
    }

    assertThat(count("idempotency_key = event_id")).isEqualTo(451);
    assertThat(schema().check().finalized()).isTrue();
  }

  /** Which sets nothing but the status. */
  @Test
  void whatVersionOneKilledUnderALeaseComesBackAndGoesWithoutIt() throws SQLException {
    schema().deploy();
    insert("replayed", null, "replayed");
    insert("discarded", null, "discarded");
    database.execute("UPDATE outbox_event SET status = 3, owner_token = 'me'");
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (Connection connection = dataSource().getConnection()) {
      assertThat(store.replay(connection, List.of("replayed"), "alice", null)).hasSize(1);
      assertThat(store.discard(connection, List.of("discarded"), "alice", "no", null)).hasSize(1);
      assertThat(store.ack(connection, "me", List.of("replayed"))).isEmpty();
    }

    assertThat(count("owner_token IS NULL")).isEqualTo(2);
  }

  @Test
  void theCheckNamesWhatIsMissingAndChangesNothing() throws SQLException {
    assertThat(schema().check().describe())
        .contains("outbox_event is missing")
        .endsWith("run: outbox schema migrate");
    Version1.create(dataSource());

    SchemaStatus status = schema().withJoins().check();

    assertThat(status.isUsable()).isFalse();
    assertThat(status.version()).isEqualTo(1);
    assertThat(status.missing())
        .contains("column idempotency_key", "column owner_token", "index outbox_event_key")
        .contains("table outbox_join", "table outbox_join_member", "table outbox_join_wait");
    assertThat(columnSizes(dataSource())).doesNotContainKey("owner_token");
  }

  @Test
  void theCheckSeesColumnsAndIndexesOfJoinsAndOfTheInbox() throws SQLException {
    InboxSchema inbox = InboxSchema.of(dataSource());
    assertThat(inbox.check().describe())
        .contains("outbox_inbox is missing")
        .endsWith("run: outbox schema migrate");
    schema().withJoins().deploy();
    inbox.deploy();
    assertThat(schema().withJoins().check().missing()).isEmpty();
    assertThat(inbox.check().isUsable()).isTrue();

    database.execute("ALTER TABLE outbox_join DROP COLUMN metadata");
    database.execute("ALTER TABLE outbox_inbox DROP COLUMN replayed_by");
    drop("outbox_inbox_dead", "outbox_inbox");

    SchemaStatus joins = schema().withJoins().check();
    assertThat(joins.missing()).containsExactly("column outbox_join.metadata");
    assertThat(joins.describe()).endsWith("add it by hand, as printed by: outbox schema print");
    assertThat(inbox.check().missing())
        .containsExactly("column outbox_inbox.replayed_by", "index outbox_inbox_dead");
    assertThat(inbox.check().isUsable()).isFalse();
    assertThat(inbox.check().command()).isEqualTo("outbox schema migrate");
    try (Connection connection = dataSource().getConnection()) {
      assertThatThrownBy(() -> InboxSchema.require(connection, InboxSchema.DEFAULT_TABLE))
          .hasMessageContaining("lacks column outbox_inbox.replayed_by")
          .hasMessageContaining("InboxSchema.of(dataSource).deploy()");
    }
  }

  @Test
  void anIndexThatWasDroppedIsBuiltAgain() throws SQLException {
    schema().deploy();
    drop("outbox_event_key", "outbox_event");
    assertThat(schema().check().missing()).containsExactly("index outbox_event_key");

    schema().deploy();

    assertThat(schema().check().isUsable()).isTrue();
  }

  @Test
  void aColumnThatSomebodyDroppedIsSaidToBeAddedByHand() {
    schema().deploy();
    database.execute("ALTER TABLE outbox_event DROP COLUMN correlation_id");

    schema().migrate(progress -> {});

    SchemaStatus status = schema().check();
    assertThat(status.missing()).containsExactly("column correlation_id");
    assertThat(status.command()).isEqualTo("outbox schema print");
    assertThat(status.describe()).endsWith("add it by hand, as printed by: outbox schema print");
  }

  @Test
  void aNewerVersionIsLeftAlone() throws SQLException {
    schema().deploy();
    int newer = SchemaVersion.CURRENT + 1;
    database.execute("INSERT INTO outbox_event_schema (version) VALUES (" + newer + ")");
    drop("outbox_event_dead", "outbox_event");

    schema().deploy();

    assertThat(schema().check().missing()).containsExactly("index outbox_event_dead");
  }

  @Test
  void theScriptOfAnUpgradeDoesTheSame() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("old", OLD);

    execute(scripts().upgrade(1, true));

    assertThat(schema().check().isUsable()).isTrue();
    assertThat(schema().rowsWithoutKey()).isZero();
    assertThat(schema().upgradeScript(2))
        .contains("idempotency_key")
        .doesNotContain("owner_token V");
    assertThatThrownBy(() -> schema().upgradeScript(SchemaVersion.CURRENT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theScriptsFromVersionTwoKeepThePayloadsOfVersionOne() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("before", OLD);
    execute(scripts().of("versions"));
    execute(scripts().version(2));
    database.execute("INSERT INTO outbox_event_schema (version) VALUES (2)");
    insertByVersion1("after", OLD);
    assertThat(schema().upgradeScript(2)).contains("payload_text = CASE");

    execute(scripts().upgrade(2, true));
    assertThat(count("payload_text LIKE '%old%'")).isEqualTo(2);
    database.execute("UPDATE outbox_event SET payload_text = NULL WHERE event_id = 'after'");
    execute(scripts().finalizeUpgrade());

    assertThat(schema().check().finalized()).isTrue();
    assertThat(schema().check().missing()).isEmpty();
    assertThat(count("payload_text LIKE '%old%'")).isEqualTo(2);
    assertThat(schema().finalizeScript()).contains("DROP COLUMN");
    assertThat(schema().upgradeScript(2)).doesNotContain("payload_text = CASE");
  }

  private SchemaScripts scripts() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      return new SchemaScripts(Dialects.of(connection), TableName.DEFAULT);
    }
  }

  private List<String> finalization() throws SQLException {
    return scripts().finalization();
  }

  private void execute(List<String> statements) {
    database.execute(statements.toArray(String[]::new));
  }

  private void drop(String index, String table) throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      String on = Dialects.of(connection).product().equals("MariaDB") ? " ON " + table : "";
      database.execute("DROP INDEX " + index + on);
    }
  }

  private void insertAheadOfIt(AtomicInteger written, int count) {
    try (Connection connection = dataSource().getConnection()) {
      for (int i = 0; i < count; i++) {
        String id = "b%06d".formatted(written.incrementAndGet());
        Version1.insert(connection, id, "payload", null, Instant.now());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void insertWithoutPayload(String id) throws SQLException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO outbox_event (event_id, event_type, idempotency_key, status, available_at,"
              + " created_at) VALUES ('"
              + id
              + "', 'Type', 'key', 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)");
    }
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
