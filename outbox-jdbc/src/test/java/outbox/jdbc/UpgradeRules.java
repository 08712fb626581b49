package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.jdbc.TableShape.columnSizes;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.Backfill;
import outbox.jdbc.internal.schema.SchemaCatalog;
import outbox.jdbc.internal.schema.SchemaSession;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.internal.schema.StepLog;
import outbox.jdbc.schema.MigrationProgress;
import outbox.jdbc.schema.SchemaStatus;

/** What migrating a table of version 1 does to it, and what its scripts do. */
interface UpgradeRules extends MigrationUnderTest {
  @Test
  @Spec({"IDEM-01", "IDEM-06", "IDEM-60", "IDEM-67", "IDEM-68"})
  default void everyRowOfVersionOneGetsItsIdForAKey() throws SQLException {
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
  @Spec({"IDEM-06", "IDEM-61", "IDEM-68"})
  default void aRowGetsItsKeyWhateverBecameOfItBeforeTheUpgrade() throws SQLException {
    Version1.create(dataSource());
    inEachStatus("before");

    schema().migrate(progress -> {});
    assertFilled(4);
    inEachStatus("after");
    schema().migrate(progress -> {});

    assertFilled(8);
  }

  @Test
  @Spec({"IDEM-06", "IDEM-68"})
  default void theScriptGivesEachRowItsKeyWhateverBecameOfItToo() throws SQLException {
    Version1.create(dataSource());
    inEachStatus("before");

    execute(scripts().upgrade(1, true));
    assertFilled(4);
    inEachStatus("after");
    execute(scripts().finalizeUpgrade());

    assertFilled(8);
  }

  private void inEachStatus(String prefix) throws SQLException {
    for (int status = 0; status < 4; status++) {
      insertByVersion1(prefix + status, OLD);
      database()
          .execute(
              "UPDATE outbox_event SET status = "
                  + status
                  + (status == 1 ? ", done_at = created_at" : "")
                  + " WHERE event_id = '"
                  + prefix
                  + status
                  + "'");
    }
  }

  private void assertFilled(int rows) throws SQLException {
    assertThat(schema().rowsWithoutKey()).isZero();
    for (int status = 0; status < 4; status++) {
      assertThat(
              count(
                  "idempotency_key = event_id AND payload_text LIKE '%old%' AND status = "
                      + status))
          .as("status %s", status)
          .isEqualTo(rows / 4);
    }
  }

  @Test
  @Spec({"IDEM-01", "IDEM-05"})
  default void aMigratedTableRequiresAKeyOnceItIsFinalized() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("old", OLD);

    schema().migrate(progress -> {});
    assertThat(TableShape.constraints(dataSource())).containsEntry("idempotency_key", "NULL");
    schema().finalizeUpgrade();

    SchemaStatus status = schema().check();
    assertThat(status.missing()).isEmpty();
    assertThat(status.isUsable()).isTrue();
    assertThat(status.finalized()).isTrue();
    assertThat(TableShape.constraints(dataSource()))
        .containsEntry("idempotency_key", "NOT NULL")
        .doesNotContainKey("payload");
    assertThat(columnSizes(dataSource(), "outbox_event_step")).isEmpty();
  }

  @Test
  @Spec("IDEM-04")
  default void aKeyIsUniqueWithinItsTenant() throws SQLException {
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
  default void oldNodesGoOnAndTheirRowsGetAKeyLater() throws SQLException {
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
  default void theBackfillEndsAlthoughAnOldNodeWritesFasterThanItFills() throws SQLException {
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

  /** By the pass over the table first, then by the one over what that has left. */
  @Test
  @Spec({"IDEM-06", "IDEM-60"})
  default void onlyWhatLacksItsKeyOrItsPayloadIsFilledIn() throws SQLException {
    Version1.create(dataSource());
    schema().migrate(progress -> {});
    insertToBeFilled("b");
    assertThat(unfilled()).isEqualTo(4);
    assertThat(fillInOnePass()).isTrue();
    assertFilledIn("b");
    assertThat(position()).isEqualTo("b-text2");
    insertToBeFilled("a");
    schema().migrate(progress -> {});
    assertFilledIn("a");
    assertThat(unfilled()).isZero();

    dropPayloadOfVersion1();
    for (String id : List.of("c", "0")) {
      insert(id, null, null);
      insert(id + "-keyed", id, "key");
      if (id.equals("c")) {
        assertThat(fillInOnePass()).isTrue();
      } else {
        schema().migrate(progress -> {});
      }
      assertThat(count("event_id = '" + id + "' AND idempotency_key = event_id")).isEqualTo(1);
      assertThat(count("event_id = '" + id + "-keyed' AND idempotency_key = 'key'")).isEqualTo(1);
    }
  }

  @Test
  @Spec({"IDEM-06", "IDEM-60"})
  default void whatCameMeanwhileIsFilledInHoweverMuchItIs() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("z", OLD);
    schema().migrate(progress -> {});
    dropPayloadOfVersion1();
    for (int i = 0; i < 250; i++) {
      insert("a" + i, null, null);
    }

    schema().migrate(progress -> {});

    assertThat(count("idempotency_key IS NULL")).isZero();
  }

  private void insertToBeFilled(String prefix) throws SQLException {
    insertByVersion1(prefix + "-bare", OLD);
    insertOld(prefix + "-keyed", "key", "attempts", 0);
    insertOld(prefix + "-text", "key", "payload_text", "new");
    insertOld(prefix + "-text2", null, "payload_text", "new");
    insertOld(prefix + "-bytes", "key", "payload_bytes", new byte[1]);
    insertOld(prefix + "-bytes2", null, "payload_bytes", new byte[1]);
    insertOld(prefix + "-purged", "key", "kept", 0);
    insertOld(prefix + "-empty", "key", "payload", null);
  }

  private void assertFilledIn(String prefix) throws SQLException {
    String of = "event_id LIKE '" + prefix + "-%' AND ";
    assertThat(count(of + "payload_text LIKE '%old%'")).isEqualTo(2);
    assertThat(count(of + "payload_text LIKE 'new'")).isEqualTo(2);
    assertThat(count(of + "payload_text IS NULL")).isEqualTo(4);
    assertThat(count(of + "idempotency_key = 'key'")).isEqualTo(5);
    assertThat(count(of + "idempotency_key = event_id")).isEqualTo(3);
  }

  private long unfilled() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      return new SchemaCatalog(connection, Dialects.of(connection), TableName.DEFAULT)
          .unfilledRows();
    }
  }

  private String position() throws SQLException {
    try (SchemaSession session =
        SchemaSession.open(dataSource()::getConnection, TableName.DEFAULT)) {
      return StepLog.open(session).position("backfill");
    }
  }

  private boolean fillInOnePass() throws SQLException {
    try (SchemaSession session =
        SchemaSession.open(dataSource()::getConnection, TableName.DEFAULT)) {
      return new Backfill(0, 0).fill(session, StepLog.open(session), UNMEASURED);
    }
  }

  @Test
  default void purgingAPayloadClearsThatOfVersionOneToo() throws SQLException {
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

  /** Which sets nothing but the status. */
  @Test
  default void whatVersionOneKilledUnderALeaseComesBackAndGoesWithoutIt() throws SQLException {
    schema().deploy();
    insert("replayed", null, "replayed");
    insert("discarded", null, "discarded");
    database()
        .execute(
            "UPDATE outbox_event SET status = 3, owner_token = 'me', started = 2,"
                + " lease_expiries = 1");
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (Connection connection = dataSource().getConnection()) {
      assertThat(store.replay(connection, List.of("replayed"), "alice", false, null)).hasSize(1);
      assertThat(store.discard(connection, List.of("discarded"), "alice", "no", null)).hasSize(1);
      assertThat(store.ack(connection, "me", List.of("replayed"))).isEmpty();
    }

    assertThat(count("owner_token IS NULL")).isEqualTo(2);
    assertThat(count("started = 0 AND lease_expiries = 0")).isEqualTo(1);
  }

  @Test
  default void theScriptOfAnUpgradeDoesTheSame() throws SQLException {
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
  default void theScriptsFromVersionTwoKeepThePayloadsOfVersionOne() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("before", OLD);
    execute(scripts().upgradeScript("versions"));
    execute(scripts().version(2));
    database().execute("INSERT INTO outbox_event_schema (version) VALUES (2)");
    insertByVersion1("after", OLD);
    assertThat(schema().upgradeScript(2)).contains("payload_text = CASE");

    execute(scripts().upgrade(2, true));
    assertThat(count("payload_text LIKE '%old%'")).isEqualTo(2);
    database().execute("UPDATE outbox_event SET payload_text = NULL WHERE event_id = 'after'");
    execute(scripts().finalizeUpgrade());

    assertThat(schema().check().finalized()).isTrue();
    assertThat(schema().check().missing()).isEmpty();
    assertThat(count("payload_text LIKE '%old%'")).isEqualTo(2);
    assertThat(scripts().finalizeText()).contains("DROP COLUMN");
    assertThat(schema().upgradeScript(2)).doesNotContain("payload_text = CASE");
  }
}
