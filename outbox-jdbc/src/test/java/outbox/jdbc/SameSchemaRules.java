package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/** The script for an empty database and the steps from version 1 end in the same schema. */
interface SameSchemaRules extends MigrationUnderTest {
  @Test
  @Spec({"IDEM-01", "IDEM-02", "IDEM-03", "IDEM-04", "IDEM-05", "IDEM-60"})
  default void everyWayToTheOutboxEndsInTheSameSchema() throws SQLException {
    List<String> created = shapeOf(database -> OutboxSchema.of(database.dataSource()).deploy());
    assertThat(created).isNotEmpty();

    assertThat(shapeOf(database -> run(database, scripts().outbox())))
        .as("the script")
        .containsExactlyInAnyOrderElementsOf(created);
    assertThat(
            shapeOf(
                database -> {
                  Version1.create(database.dataSource());
                  OutboxSchema.of(database.dataSource()).migrate(progress -> {});
                  OutboxSchema.of(database.dataSource()).finalizeUpgrade();
                }))
        .as("version 1, migrated and finalized")
        .containsExactlyInAnyOrderElementsOf(created);
    assertThat(
            shapeOf(
                database -> {
                  Version1.create(database.dataSource());
                  run(database, scripts().upgradeText(1, true));
                  run(database, scripts().finalizeText());
                }))
        .as("version 1, by the scripts of an upgrade")
        .containsExactlyInAnyOrderElementsOf(created);
  }

  @Test
  default void anOlderInboxAndOlderJoinsAreCompletedToTheSameSchema() throws SQLException {
    schema().withJoins().deploy();
    InboxSchema.of(dataSource()).deploy();
    List<String> created = SchemaShape.of(database());
    database()
        .execute(
            "ALTER TABLE outbox_inbox DROP COLUMN headers",
            "ALTER TABLE outbox_inbox DROP COLUMN replayed_at",
            "DROP INDEX outbox_inbox_dead" + on("outbox_inbox"),
            "ALTER TABLE outbox_join DROP COLUMN metadata",
            "DROP TABLE outbox_join_wait");
    assertThat(SchemaShape.of(database())).isNotEqualTo(created);

    schema().withJoins().deploy();
    InboxSchema.of(dataSource()).deploy();

    assertThat(SchemaShape.of(database())).containsExactlyInAnyOrderElementsOf(created);
  }

  /** Where the database has no transactions for its schema. */
  @Test
  default void aCreationThatWasInterruptedIsCompleted() throws SQLException {
    List<String> statements = SqlFile.statements(scripts().outbox());
    List<String> created = shapeOf(database -> execute(database, statements));
    for (int done = 0; done < statements.size(); done++) {
      List<String> first = statements.subList(0, done);

      assertThat(
              shapeOf(
                  database -> {
                    execute(database, first);
                    OutboxSchema schema = OutboxSchema.of(database.dataSource());
                    schema.deploy();
                    assertThat(schema.check().isUsable()).isTrue();
                  }))
          .as("after %s statements", done)
          .containsExactlyInAnyOrderElementsOf(created);
    }
  }

  /** Otherwise the comparisons above would prove nothing. */
  @Test
  default void everyKindOfDifferenceShows() throws SQLException {
    schema().withJoins().deploy();
    List<String> before = SchemaShape.of(database());
    for (String change : changes()) {
      database().execute(change);
      List<String> after = SchemaShape.of(database());
      assertThat(after).as(change).isNotEqualTo(before);
      before = after;
    }
  }

  private List<String> changes() {
    String alter = "ALTER TABLE outbox_event ";
    List<String> ofColumn =
        switch (database().product()) {
          case H2, H2_OLDEST, H2_SPRING_BOOT ->
              List.of(
                  alter + "ALTER COLUMN aggregate_id SET DATA TYPE VARCHAR(129)",
                  alter + "ALTER COLUMN aggregate_id SET NOT NULL");
          case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER ->
              List.of(
                  alter + "MODIFY COLUMN aggregate_id VARCHAR(129)",
                  alter + "MODIFY COLUMN aggregate_id VARCHAR(129) NOT NULL",
                  alter
                      + "MODIFY COLUMN aggregate_id VARCHAR(129) COLLATE utf8mb4_general_ci"
                      + " NOT NULL",
                  alter + "COLLATE utf8mb4_general_ci");
          default ->
              List.of(
                  alter + "ALTER COLUMN aggregate_id TYPE VARCHAR(129) COLLATE \"C\"",
                  alter + "ALTER COLUMN aggregate_id SET NOT NULL",
                  alter + "ALTER COLUMN aggregate_id TYPE VARCHAR(129) COLLATE \"POSIX\"",
                  alter + "SET (fillfactor = 70)");
        };
    List<String> common =
        List.of(
            alter + "ADD extra INT",
            alter + "ALTER COLUMN attempts SET DEFAULT 1",
            alter + "DROP CONSTRAINT outbox_event_payload",
            "DROP INDEX outbox_event_dead" + on("outbox_event"),
            "CREATE INDEX outbox_event_dead ON outbox_event (created_at)",
            "ALTER TABLE outbox_join_wait ADD FOREIGN KEY (message_id)"
                + " REFERENCES outbox_join (join_id)",
            "DROP TABLE outbox_event_schema");
    return Stream.concat(ofColumn.stream(), common.stream()).toList();
  }

  private String on(String table) {
    return database().product().isInnoDb() ? " ON " + table : "";
  }

  private List<String> shapeOf(Deployment deployment) throws SQLException {
    try (TestDatabase other = TestDatabase.create(database().product())) {
      deployment.run(other);
      return SchemaShape.of(other);
    }
  }

  private static void run(TestDatabase database, String script) {
    execute(database, SqlFile.statements(script));
  }

  private static void execute(TestDatabase database, List<String> statements) {
    database.execute(statements.toArray(String[]::new));
  }

  /** A way to the schema. */
  @FunctionalInterface
  interface Deployment {
    void run(TestDatabase database) throws SQLException;
  }
}
