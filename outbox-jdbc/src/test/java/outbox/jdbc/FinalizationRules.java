package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.jdbc.TableShape.columnSizes;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.Backfill;
import outbox.jdbc.internal.schema.Finalization;
import outbox.jdbc.internal.schema.SchemaSession;

/** When an upgrade can be finalized, and what that does. */
interface FinalizationRules extends MigrationUnderTest {
  @Test
  @Spec("IDEM-60")
  default void finalizingIsRefusedWhileAnOldNodeWrites() throws SQLException {
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
  default void finalizingIsRefusedAlthoughTheRowsOfAnOldNodeHaveBeenFilledIn() throws SQLException {
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
  default void finalizingIsRefusedWhileAnOldNodeOnlyDispatches() throws SQLException {
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
  @Spec("IDEM-60")
  default void finalizingIsRefusedWhileANodeOfVersionTwoWrites() throws SQLException {
    Version1.create(dataSource());
    schema().deploy();
    insertByVersion1("just-now", Duration.ZERO);
    database().execute("UPDATE outbox_event SET occurred_at = created_at");

    assertThatThrownBy(() -> schema().finalizeUpgrade())
        .hasMessageContaining("cannot be finalized: 1 rows of the last PT5M");
  }

  @Test
  @Spec("IDEM-60")
  default void finalizingIsRefusedWhileARowWithoutAKeyIsLocked() throws SQLException {
    Version1.create(dataSource());
    schema().deploy();
    insertByVersion1("filled", OLD);
    insertByVersion1("locked", OLD);
    assertRefusedWhileLocked();
    assertThat(count("idempotency_key = 'filled'")).isEqualTo(1);

    database().execute("UPDATE outbox_event SET payload_text = '{}'");
    dropPayloadOfVersion1();
    assertRefusedWhileLocked();

    schema().finalizeUpgrade();
    assertThat(count("idempotency_key = event_id")).isEqualTo(2);
  }

  private void assertRefusedWhileLocked() throws SQLException {
    try (Connection other = dataSource().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE outbox_event SET attempts = 1 WHERE event_id = 'locked'");

      assertThatThrownBy(() -> schema().finalizeUpgrade())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cannot be finalized: 1 rows that are locked or new");

      other.rollback();
    }
  }

  @Test
  default void finalizingGoesOnWhereverItWasCutOff() throws SQLException {
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
      database().execute("DROP TABLE outbox_event", "DROP TABLE outbox_event_schema");
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

  private List<String> finalization() throws SQLException {
    return scripts().finalization();
  }

  @Test
  @Spec({"IDEM-01", "IDEM-60"})
  default void finalizingFillsTheLastRowsAndThenRequiresAKey() throws SQLException {
    Version1.create(dataSource());
    schema().deploy();
    insertByVersion1("last", OLD);
    insertByVersion1("new", Duration.ZERO);
    database()
        .execute(
            "UPDATE outbox_event SET idempotency_key = event_id, occurred_at = created_at,"
                + " status = 1, done_at = created_at, processed_by = 'me'"
                + " WHERE event_id = 'new'");

    schema().finalizeUpgrade();

    assertThat(count("idempotency_key = event_id")).isEqualTo(2);
    assertThatThrownBy(() -> insert("keyless", null, null)).isInstanceOf(SQLException.class);
  }

  @Test
  @Spec({"IDEM-01", "IDEM-60"})
  default void finalizingFillsHoweverManyRowsCameMeanwhile() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("z", OLD);
    schema().migrate(progress -> {});
    for (int i = 0; i < 450; i++) {
      insertByVersion1("behind-" + i, OLD);
    }

    try (SchemaSession session =
        SchemaSession.open(dataSource()::getConnection, TableName.DEFAULT)) {
      new Finalization(session, UNMEASURED, new Backfill(0, 1)).run(false);
    }

    assertThat(count("idempotency_key = event_id")).isEqualTo(451);
    assertThat(schema().check().finalized()).isTrue();
  }
}
