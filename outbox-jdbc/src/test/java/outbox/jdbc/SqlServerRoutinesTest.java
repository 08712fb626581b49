package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.Routines;

/**
 * No SQL Server is at hand; a parser that knows T-SQL at least reads the procedures. It does not
 * know their frame, so it gets the parameters as a declaration, and the body one statement at a
 * time; nor does it know FOR JSON and collated expressions.
 */
class SqlServerRoutinesTest {
  private static final Dialect DIALECT = Dialects.of("Microsoft SQL Server", "16.00.4085");
  private static final List<String> PROCEDURES =
      new Routines(DIALECT, TableName.of("dbo.outbox_event"), null)
          .definitions().stream().filter(sql -> !sql.startsWith("SET ")).toList();

  static Stream<String> statements() {
    return PROCEDURES.stream().flatMap(SqlServerRoutinesTest::statementsOf);
  }

  private static Stream<String> statementsOf(String procedure) {
    int parameters = procedure.indexOf('\n');
    int body = procedure.indexOf("\nAS\nBEGIN\n");
    int end = procedure.lastIndexOf("\nEND");
    String plain =
        procedure
            .substring(body + "\nAS\nBEGIN\n".length(), end + 1)
            .replaceAll("/\\*.*?\\*/", "")
            .replace(" FOR JSON PATH", "")
            .replace(") COLLATE Latin1_General_100_BIN2\n", ")\n")
            .replaceAll(
                "(?m)^ *(BEGIN|ELSE|END;|BREAK;|THROW .*;|(BEGIN|COMMIT) TRANSACTION;)$", "")
            .replaceAll("(?m)^ *(?:IF|WHILE) (.*(?:\\n +OR .*)*)$", "SELECT 1 FROM x WHERE $1;");
    return Stream.concat(
            Stream.of("DECLARE" + procedure.substring(parameters, body)),
            Stream.of(plain.split(";", -1)))
        .filter(statement -> !statement.isBlank());
  }

  @ParameterizedTest
  @MethodSource("statements")
  void isValidTransactSql(String statement) {
    assertThat(SQLUtils.parseStatements(statement, DbType.sqlserver)).hasSize(1);
  }

  @Test
  @Spec("OBX-106")
  void thereIsAProcedureForEachOperation() {
    assertThat(PROCEDURES)
        .extracting(procedure -> procedure.lines().findFirst().orElseThrow())
        .containsExactly(
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_settled",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_enqueue",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_claim",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_ack",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_abandon",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_defer",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_fail",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_renew",
            "CREATE OR ALTER PROCEDURE dbo.outbox_event_reap");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ack", "abandon", "defer", "fail", "renew"})
  @Spec({"OBX-106", "OBX-024", "OBX-032", "OBX-038"})
  void transitionsChangeOnlyLiveRowsOfTheirOwner(String name) {
    String update = update(name, "UPDATE event\n");

    assertThat(Conjuncts.of(update)).containsExactly("owner_token = @owner", "status IN (0, 2)");
    assertThat(update).contains("INNER JOIN @wanted AS wanted ON wanted.event_id = event.event_id");
  }

  @Test
  @Spec({"OBX-106", "OBX-012", "OBX-013", "OBX-018", "OBX-019", "OBX-046"})
  void claimAndReapTakeOnlyLiveRowsThatAreDue() {
    String due = update("claim", "INSERT INTO @due ");
    assertThat(Conjuncts.of(due.substring(0, due.indexOf("ORDER BY"))))
        .contains("status IN (0, 2)", "available_at <= @now");
    String expired = update("reap", "WITH expired AS (");
    assertThat(Conjuncts.of(expired.substring(0, expired.indexOf("ORDER BY"))))
        .containsExactly("status IN (0, 2)", "available_at < @before", "owner_token IS NOT NULL");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ack", "abandon", "fail"})
  @Spec({"OBX-106", "OBX-028", "OBX-041", "OBX-091"})
  void theEndOfAMessageAndWhatHangsOnItAreOneTransaction(String name) {
    assertThat(procedure(name))
        .containsSubsequence(
            "SET XACT_ABORT ON;",
            "BEGIN TRANSACTION;",
            "UPDATE event",
            "EXEC dbo.outbox_event_settled @ended, ",
            "COMMIT TRANSACTION;");
  }

  @Test
  @Spec({"OBX-106", "OBX-014", "OBX-015", "OBX-020"})
  void aClaimLeasesAtMostAsManyAsAskedForToItsCaller() {
    assertThat(procedure("claim"))
        .contains("@lease_seconds INT = 30", "@batch_size INT = 50")
        .contains("SELECT TOP (@batch_size) event_id");
    assertThat(update("claim", "UPDATE event\n"))
        .contains("owner_token = @owner", "available_at = DATEADD(SECOND, @lease_seconds, @now)");
  }

  @Test
  @Spec("OBX-106")
  void eachOperationSetsWhatItPromises() {
    assertThat(update("ack", "UPDATE event\n"))
        .contains("status = 1", "done_at = @now", "processed_by = owner_token")
        .contains("owner_token = NULL", "last_error = NULL");
    assertThat(update("abandon", "UPDATE event\n"))
        .contains("attempts = attempts + 1", "owner_token = NULL")
        .contains("available_at = CASE WHEN gate.outcome = 3 THEN @now");
    assertThat(update("fail", "UPDATE event\n"))
        .contains("status = 3", "attempts = attempts + 1", "owner_token = NULL")
        .contains("available_at = " + DIALECT.now(), "last_error = LEFT(@error, 4000)");
    assertThat(update("reap", "UPDATE expired\n")).contains("owner_token = NULL");
  }

  /** The statement of a procedure that begins so. */
  private static String update(String name, String begin) {
    String procedure = procedure(name);
    int from = procedure.lastIndexOf(begin);
    assertThat(from).as("%s of %s", begin, name).isPositive();
    return procedure.substring(from, procedure.indexOf(';', from));
  }

  private static String procedure(String name) {
    return PROCEDURES.stream()
        .filter(
            procedure ->
                procedure.startsWith("CREATE OR ALTER PROCEDURE dbo.outbox_event_" + name + "\n"))
        .findFirst()
        .orElseThrow();
  }
}
