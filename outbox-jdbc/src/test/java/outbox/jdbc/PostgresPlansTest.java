package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.NamedStatement;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.schema.OutboxSchema;

/** Every statement over live rows is driven by an index, whatever the statistics say. */
@Tag("slow")
class PostgresPlansTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** What was found may be sorted, the rows of the table may not. */
  private static final String SORTED_ROWS = "Sort Key: outbox_event";

  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);

  @BeforeEach
  void deploy() {
    OutboxSchema.of(database.dataSource()).deploy();
    database.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = false)");
    database.execute("ANALYZE outbox_event");
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "claim",
        "claim_by_id",
        "ack",
        "abandon",
        "defer",
        "fail",
        "renew",
        "mark_started",
        "reap",
        "inspect"
      })
  @Spec("OBX-113")
  void pendingRowsOfATableAnalysedWhileEmptyAreFoundByIndex(String statement) throws Exception {
    fill(0, 100_000);

    assertThat(plan(statement)).doesNotContain("Seq Scan");
  }

  @ParameterizedTest
  @ValueSource(strings = {"claim", "reap"})
  @Spec("OBX-113")
  void theBacklogIsReadInTheOrderOfTheIndexAndNeverSorted(String statement) throws Exception {
    fill(0, 100_000);

    assertThat(plan(statement)).contains("outbox_event_claim").doesNotContain(SORTED_ROWS);
    database.execute("ANALYZE outbox_event");
    assertThat(plan(statement)).contains("outbox_event_claim").doesNotContain(SORTED_ROWS);
  }

  @Test
  void fewPendingRowsAmongManyDoneOnesAreFoundByIndex() throws Exception {
    fill(1, 200_000);
    fill(0, 1_000);

    assertThat(plan("claim")).doesNotContain("Seq Scan");
    assertThat(plan("ack")).doesNotContain("Seq Scan");
    database.execute("ANALYZE outbox_event");
    assertThat(plan("claim")).doesNotContain("Seq Scan").contains("outbox_event_claim");
    assertThat(plan("ack")).doesNotContain("Seq Scan").contains("outbox_event_pkey");
  }

  @ParameterizedTest
  @ValueSource(strings = {"purge_payloads", "purge_done"})
  void aPurgeReadsTheRowsThatItTakesAndNotTheTable(String statement) throws Exception {
    fill(1, 200_000);
    fill(0, 1_000);
    database.execute("UPDATE outbox_event SET done_at = now() - interval '1 h' WHERE status = 1");

    assertThat(plan(statement)).contains("outbox_event_done").doesNotContain("Seq Scan");
    database.execute("ANALYZE outbox_event");
    assertThat(plan(statement))
        .contains("outbox_event_done")
        .doesNotContain("Seq Scan")
        .doesNotContain(SORTED_ROWS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dead_letters", "count_dead", "purge_dead"})
  void deadLettersAreReadInTheOrderOfTheirIndex(String statement) throws Exception {
    fill(1, 100_000);
    fill(3, 20_000);

    assertThat(plan(statement)).doesNotContain("Seq Scan");
    database.execute("ANALYZE outbox_event");
    assertThat(plan(statement))
        .contains("outbox_event_dead")
        .doesNotContain("Seq Scan")
        .doesNotContain(SORTED_ROWS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dead_letter", "replay", "discard"})
  void lettersOfGivenIdsAreFoundByThem(String statement) throws Exception {
    fill(1, 100_000);
    fill(3, 20_000);

    assertThat(plan(statement)).doesNotContain("Seq Scan");
    database.execute("ANALYZE outbox_event");
    assertThat(plan(statement)).contains("outbox_event_pkey").doesNotContain("Seq Scan");
  }

  @Test
  void theBacklogIsCountedByItsIndex() throws Exception {
    fill(1, 100_000);
    fill(0, 20_000);

    assertThat(plan("backlog")).contains("outbox_event_claim").doesNotContain("Seq Scan");
    database.execute("ANALYZE outbox_event");
    assertThat(plan("backlog")).contains("outbox_event_claim").doesNotContain(SORTED_ROWS);
  }

  private void fill(int status, int count) {
    database.execute(
        "INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, status,"
            + " available_at, created_at, occurred_at) SELECT id, id, 'T', repeat('x', 200), "
            + status
            + ", now() - interval '1 h' + i * interval '1 ms', now(), now()"
            + " FROM (SELECT i, "
            + status
            + " || lpad(i::text, 25, '0') AS id FROM generate_series(1, "
            + count
            + ") i) ids");
  }

  private String plan(String name) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      Statements statements =
          new Statements(Dialects.of(connection), TableName.DEFAULT, null, Map.of());
      Parameters parameters = parameters(statements);
      NamedStatement explained =
          new NamedStatement(
              "EXPLAIN "
                  + Objects.requireNonNull(SqlFile.named("postgresql.sql").get(name))
                      .replace("{table}", "outbox_event")
                      .replace("{now}", Dialects.of(connection).now()));
      try (PreparedStatement statement = connection.prepareStatement(explained.sql(parameters))) {
        explained.bind(statement, parameters);
        return read(statement);
      }
    }
  }

  private static String read(PreparedStatement statement) throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (ResultSet line = statement.executeQuery()) {
      while (line.next()) {
        plan.append(line.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }

  private static Parameters parameters(Statements statements) {
    List<String> ids = IntStream.range(1, 201).mapToObj(i -> String.format("0%025d", i)).toList();
    return statements
        .parameters()
        .ids(ids)
        .array("delays", "bigint", ids.stream().map(id -> 1L).toArray())
        .array("errors", "text", ids.stream().map(Objects::toString).toArray())
        .array("listeners", "text", ids.stream().map(Objects::toString).toArray())
        .text("owner", "owner")
        .duration("lease", MINUTE)
        .duration("delay", MINUTE)
        .duration("skip_recent", MINUTE)
        .duration("grace", MINUTE)
        .number("limit", 200)
        .number("window", 11_000)
        .flag("relaxed", true)
        .number("max_bytes", 1 << 30)
        .instant("after", null)
        .text("id", ids.get(0))
        .text("by", "somebody")
        .number("failed_only", 1)
        .text("error", null)
        .text("topic", "T")
        .text("tenant_id", null)
        .text("source", null)
        .text("correlation_id", null)
        .instant("died_from", null)
        .instant("died_before", null)
        .instant("after_at", null)
        .text("after_id", null)
        .duration("age", MINUTE);
  }
}
