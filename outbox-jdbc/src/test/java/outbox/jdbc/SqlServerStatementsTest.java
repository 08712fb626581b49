package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.join.JoinStatements;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.schema.SchemaStatements;
import outbox.jdbc.internal.schema.ScriptedTable;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.store.EventTable;
import outbox.jdbc.internal.store.TableKind;

/** No SQL Server is at hand; a parser that knows T-SQL at least reads what would be sent to it. */
class SqlServerStatementsTest {
  private static final Dialect DIALECT = Dialects.of("Microsoft SQL Server", "16.00.4085");

  private static final SchemaScripts SCRIPTS = new SchemaScripts(DIALECT, TableName.DEFAULT);

  /** A computed column: its expression. */
  private static final Pattern COMPUTED = Pattern.compile("(?m)^  key_\\w+ AS (.*?)[,;]?$");

  static Stream<Map.Entry<String, String>> statements() {
    Statements statements =
        new EventTable(DIALECT, TableKind.OUTBOX, TableName.DEFAULT, null).statements();
    Stream<Map.Entry<String, String>> dml =
        statements
            .texts(
                new Parameters(DIALECT)
                    .list("ids", List.of("a", "b"))
                    .rows(List.of(new Parameters(DIALECT), new Parameters(DIALECT))))
            .entrySet()
            .stream();
    Stream<Map.Entry<String, String>> inbox =
        Stream.of(new byte[1], null).flatMap(SqlServerStatementsTest::inboxStatements);
    Statements joins = JoinStatements.of(DIALECT, TableName.DEFAULT, JoinTables.DEFAULT, null);
    Stream<Map.Entry<String, String>> joinDml =
        joins.texts(new Parameters(DIALECT).list("ids", List.of("a", "b"))).entrySet().stream();
    Stream<Map.Entry<String, String>> migration =
        SchemaStatements.ofMigration(DIALECT, TableName.DEFAULT)
            .texts(new Parameters(DIALECT).list("ids", List.of("a", "b")))
            .entrySet()
            .stream();
    Stream<Map.Entry<String, String>> ddl =
        Stream.of(SCRIPTS.outbox(), SCRIPTS.joins(JoinTables.DEFAULT), upgrade())
            .flatMap(script -> SqlFile.statements(script).stream())
            .filter(sql -> !sql.startsWith("SET "))
            .flatMap(SqlServerStatementsTest::parsable)
            .map(sql -> Map.entry("schema", sql));
    String inboxScript = new SchemaScripts(DIALECT, TableName.DEFAULT_INBOX).inbox();
    Stream<Map.Entry<String, String>> inboxDdl =
        Stream.concat(
                SqlFile.statements(inboxScript).stream(),
                ScriptedTable.of(inboxScript).get(0).additions().stream())
            .filter(sql -> !sql.startsWith("SET "))
            .flatMap(SqlServerStatementsTest::parsable)
            .map(sql -> Map.entry("schema of the inbox", sql));
    return Stream.of(dml, inbox, joinDml, migration, ddl, inboxDdl).flatMap(each -> each);
  }

  private static String upgrade() {
    return SCRIPTS.upgradeText(1, true);
  }

  private static Stream<Map.Entry<String, String>> inboxStatements(byte @Nullable [] hash) {
    Parameters parameters =
        new Parameters(DIALECT)
            .list("ids", List.of("a", "b"))
            .list("sources", List.of("a", "b"))
            .list("message_ids", List.of("a", "b"))
            .rows(List.of(new Parameters(DIALECT), new Parameters(DIALECT)))
            .bytes("hash", hash)
            .flag("hashed", hash != null);
    return new EventTable(DIALECT, TableKind.INBOX, TableName.DEFAULT_INBOX, null)
        .statements().texts(parameters).entrySet().stream()
            .map(statement -> Map.entry("inbox " + statement.getKey(), statement.getValue()));
  }

  /**
   * The parser knows neither filtered indexes, nor what a DELETE or a MERGE puts out, nor the hints
   * of a MERGE, nor computed columns: it gets the index and the filter one by one, the expressions
   * and what a MERGE puts out alone, and the others without these.
   */
  private static Stream<String> parsable(String sql) {
    Matcher computed = COMPUTED.matcher(sql);
    if (computed.find()) {
      return computed
          .reset()
          .results()
          .map(column -> "SELECT " + column.group(1) + " FROM outbox_event");
    }
    int filter = sql.indexOf(" WHERE ");
    return sql.startsWith("CREATE INDEX") && filter > 0
        ? Stream.of(sql.substring(0, filter), "SELECT 1 FROM outbox_event" + sql.substring(filter))
        : Stream.of(sql);
  }

  @Test
  void theScriptSetsWhatAFilteredIndexNeeds() {
    assertThat(List.of(SCRIPTS.outbox(), SCRIPTS.routines(null), upgrade()))
        .allSatisfy(
            script ->
                assertThat(SqlFile.statements(script))
                    .startsWith("SET QUOTED_IDENTIFIER ON", "SET ANSI_NULLS ON"));
  }

  @Test
  void whatLooksForDueRowsNamesItsIndex() {
    List<String> routines = SqlFile.statements(SCRIPTS.routines(null));
    for (String name : List.of("claim", "reap")) {
      assertThat(statement(name)).contains("WITH (INDEX (idx_claim), ");
      assertThat(routines)
          .filteredOn(sql -> sql.startsWith("CREATE OR ALTER PROCEDURE outbox_event_" + name))
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("WITH (INDEX (idx_claim), ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ack",
        "ack_delete",
        "ack_keyed",
        "abandon",
        "defer",
        "fail",
        "renew",
        "mark_started"
      })
  @Spec({"OBX-024", "OBX-032", "OBX-038", "OBX-046"})
  void transitionsChangeOnlyLiveRowsOfTheirOwner(String name) {
    assertThat(Conjuncts.of(statement(name)))
        .contains("owner_token = :owner", "status IN (0, 2)")
        .containsAnyOf("event_id = :id", "event_id IN (:ids...)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mark_done", "mark_done_delete", "mark_retry", "mark_dead"})
  @Spec({"FRM-47", "FRM-48", "FRM-49"})
  void marksChangeOnlyWhatIsNotDone(String name) {
    assertThat(Conjuncts.of(statement(name))).contains("event_id = :id", "status <> 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "discard"})
  void whatOperatorsDoChangesOnlyDeadRows(String name) {
    assertThat(Conjuncts.of(statement(name))).contains("event_id IN (:ids...)", "status = 3");
  }

  @Test
  @Spec({"OBX-012", "OBX-013", "OBX-018", "OBX-019", "OBX-046"})
  void claimsAndReapsTakeOnlyLiveRowsThatAreDue() {
    assertThat(Conjuncts.of(statement("claim_by_id")))
        .contains(
            "event_id IN (:ids...)",
            "status IN (0, 2)",
            "(owner_token IS NULL OR available_at <= {now})");
    String claim = statement("claim");
    assertThat(Conjuncts.of(claim.substring(0, claim.indexOf("ORDER BY"))))
        .contains("status IN (0, 2)", "available_at <= {now}");
    String reap = statement("reap");
    assertThat(Conjuncts.of(reap.substring(0, reap.indexOf("\n)\nUPDATE"))))
        .contains("owner_token IS NOT NULL", "status NOT IN (1, 3)")
        .anyMatch(condition -> condition.startsWith("available_at < "));
  }

  /** Those have run: on H2 the contract suites show what they do. */
  @ParameterizedTest
  @ValueSource(
      strings = {"mark_done", "mark_retry", "mark_dead", "ack", "ack_keyed", "fail", "reap"})
  @Spec({
    "FRM-47", "FRM-48", "FRM-49", "FRM-99", "OBX-021", "OBX-022", "OBX-023", "OBX-036", "OBX-037",
    "OBX-044"
  })
  void changesSetWhatThoseOfH2Set(String name) {
    String ofH2 = requireNonNull(SqlFile.named("h2.sql").get(name));

    assertThat(assignments(statement(name))).isEqualTo(assignments(ofH2));
  }

  @Test
  @Spec({"OBX-014", "OBX-015", "OBX-020", "OBX-029", "OBX-030", "OBX-034", "OBX-035"})
  void claimsAndRetriesSetTheirOwnerAndTheirTime() {
    String end =
        "DATEADD(MICROSECOND, CAST(:%1$s %% 1000000 AS INT),"
            + " DATEADD(SECOND, CAST(:%1$s / 1000000 AS INT), {now}))";
    String lease = "available_at = " + end.formatted("lease");
    assertThat(statement("claim")).contains("SELECT TOP (:limit) event_id");
    for (String name : List.of("claim", "claim_by_id")) {
      assertThat(assignments(statement(name))).endsWith("owner_token = :owner, " + lease);
    }
    assertThat(assignments(statement("renew"))).isEqualTo(lease);
    assertThat(assignments(statement("mark_started"))).isEqualTo("started = 2, " + lease);
    for (String name : List.of("abandon", "defer")) {
      assertThat(assignments(statement(name)))
          .contains(
              "available_at = CASE WHEN due_at > gate.delay_end THEN due_at ELSE gate.delay_end END,"
                  + " owner_token = NULL");
      assertThat(statement(name).replaceAll("\\s+", " "))
          .contains("SELECT " + end.formatted("delay") + " AS delay_end");
    }
    assertThat(assignments(statement("abandon")))
        .startsWith(
            "status = 2, attempts = attempts + 1, last_error = COALESCE(:error, last_error), ");
  }

  private static String assignments(String sql) {
    Matcher set =
        Pattern.compile("(?s)\\bSET (.*?)(?=\\n(?:WHERE|OUTPUT|FROM)|$)").matcher(sql.strip());
    assertThat(set.find()).isTrue();
    return set.group(1).replaceAll("\\s+", " ");
  }

  private static String statement(String name) {
    return requireNonNull(SqlFile.named("sqlserver.sql").get(name));
  }

  @ParameterizedTest
  @MethodSource("statements")
  void isValidTransactSql(Map.Entry<String, String> statement) {
    String sql =
        statement
            .getValue()
            .replace("OUTPUT deleted.event_id\n", "")
            .replace("DELETE TOP (?)", "DELETE")
            .replace(" WITH (HOLDLOCK) AS inbox", " AS inbox");
    if (sql.startsWith("MERGE")) {
      int output = sql.indexOf("OUTPUT");
      String columns = sql.substring(output).replace("OUTPUT", "SELECT").replace(";", "");
      sql = sql.substring(0, output) + ";\n" + columns + " FROM inserted";
    }
    assertThat(SQLUtils.parseStatements(sql, DbType.sqlserver)).isNotEmpty();
  }
}
