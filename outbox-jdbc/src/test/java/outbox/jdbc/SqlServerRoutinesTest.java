package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.testing.Spec;

/**
 * No SQL Server is at hand; a parser that knows T-SQL at least reads the procedures. It does not
 * know their frame, so it gets the parameters as a declaration, and the body one statement at a
 * time; nor does it know FOR JSON and collated expressions.
 */
class SqlServerRoutinesTest {
  private static final Dialect DIALECT = Dialects.of("Microsoft SQL Server", "16.00.4085");
  private static final List<String> PROCEDURES =
      Routines.of(DIALECT, TableName.of("dbo.outbox_event")).definitions();

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
}
