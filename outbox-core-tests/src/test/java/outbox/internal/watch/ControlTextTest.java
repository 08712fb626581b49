package outbox.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.watch.TransactionHabits.H2;
import static outbox.internal.watch.TransactionHabits.MARIADB_OR_MYSQL;
import static outbox.internal.watch.TransactionHabits.POSTGRESQL;
import static outbox.internal.watch.TransactionHabits.UNKNOWN;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlTextTest {

  @ParameterizedTest
  @EnumSource
  void seesAStatementBehindLiteralsNamesAndComments(TransactionHabits database) {
    assertControls(database, "INSERT INTO t VALUES ('a;', '''', \"b;\"); COMMIT");
    assertControls(database, "SELECT 1; /* the end */ -- it's\n rollback");
    assertControls(database, "SELECT 1 AS `a;`;;rollback");
    assertControls(database, "SELECT a /* it's */; COMMIT; SELECT 'x'");
  }

  @ParameterizedTest
  @EnumSource
  void seesNoStatementInsideALiteralANameOrAComment(TransactionHabits database) {
    assertLeaves(database, "INSERT INTO t VALUES ('; COMMIT')");
    assertLeaves(database, "INSERT INTO t VALUES ('it''s; COMMIT; '); ");
    assertLeaves(database, "SELECT \"; COMMIT\", `; COMMIT`; SELECT 2");
    assertLeaves(database, "SELECT 1 /* ; COMMIT */ -- ; ROLLBACK\n; SELECT 2 -- ; ROLLBACK");
    assertLeaves(database, "SELECT 'unclosed; COMMIT");
    assertLeaves(database, "SELECT 1;");
  }

  @Test
  void backslashEscapesOnMariaDbAndMySqlAndInEscapeStringsOfPostgres() {
    assertLeaves(MARIADB_OR_MYSQL, "SELECT 'it\\'s; COMMIT; '");
    assertLeaves(MARIADB_OR_MYSQL, "SELECT \"a\\\"; COMMIT; \"");
    assertLeaves(POSTGRESQL, "SELECT E'it\\'s; COMMIT', e'''\\'; COMMIT'");
    assertControls(POSTGRESQL, "SELECT 1 WHERE a LIKE'a\\'; COMMIT; SELECT ''");
    assertControls(H2, "SELECT 'a\\'; COMMIT; SELECT ''");
    assertControls(UNKNOWN, "SELECT 'a\\'; COMMIT; SELECT ''");
  }

  @Test
  void dollarsQuoteOnPostgresAndH2() {
    assertLeaves(POSTGRESQL, "SELECT $$it's; COMMIT$$, $a_1$; $$; COMMIT$a_1$");
    assertLeaves(H2, "SELECT $$it's; COMMIT$$");
    assertControls(POSTGRESQL, "SELECT $1, a$$; COMMIT; SELECT b$$");
    assertControls(H2, "SELECT $a$; COMMIT; SELECT $a$");
    assertControls(MARIADB_OR_MYSQL, "SELECT $$; COMMIT; SELECT $$");
  }

  @Test
  void squareBracketsQuoteNamesOnSqlServer() {
    assertLeaves(UNKNOWN, "SELECT [it's; COMMIT]]; COMMIT] FROM t");
    assertControls(POSTGRESQL, "SELECT a['x]']; COMMIT");
  }

  @Test
  void commentsFollowTheDatabase() {
    assertLeaves(MARIADB_OR_MYSQL, "SELECT 1 # it's; COMMIT");
    assertControls(UNKNOWN, "SELECT 1 FROM #it; COMMIT");
    assertControls(MARIADB_OR_MYSQL, "SELECT 5--3; COMMIT");
    assertLeaves(POSTGRESQL, "SELECT 5--3; COMMIT");
    assertControls(MARIADB_OR_MYSQL, "SELECT 1 /* /* */; COMMIT /* */");
    assertLeaves(POSTGRESQL, "SELECT 1 /* /* */; COMMIT */");
    assertControls(H2, "/* /* */ */ COMMIT");
    assertControls(POSTGRESQL, "/* /* */* */ COMMIT");
    assertControls(POSTGRESQL, "SELECT 1 /* /*/ */ ' */; COMMIT");
    assertControls(POSTGRESQL, "SELECT 1 -- it's\r; COMMIT");
    assertControls(H2, "SELECT 1 // it's\n; COMMIT");
    assertControls(MARIADB_OR_MYSQL, "/*!50000 COMMIT */");
    assertControls(MARIADB_OR_MYSQL, "SELECT 1; /*M! COMMIT */");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TRUNCATE TABLE t",
        "alter table t ADD COLUMN b INT",
        "CREATE TABLE t (a INT)",
        "DROP TABLE t",
        "GRANT SELECT ON t TO u",
        "REVOKE SELECT ON t FROM u",
        "SELECT 1; /* ; */ DROP TABLE t",
      })
  void statementCommitsByItselfOnMariaDbMySqlAndH2(String sql) {
    assertControls(MARIADB_OR_MYSQL, sql);
    assertControls(H2, sql);
    assertLeaves(POSTGRESQL, sql);
    assertLeaves(UNKNOWN, sql);
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOCK TABLES t WRITE", "UNLOCK TABLES", "RENAME TABLE t TO s"})
  void statementCommitsByItselfOnMariaDbAndMySql(String sql) {
    assertControls(MARIADB_OR_MYSQL, sql);
    assertLeaves(POSTGRESQL, sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TEMPORARY TABLE t (a INT)",
        "create or replace  temporary table t (a INT)",
        "DROP TEMPORARY TABLE t",
      })
  void temporaryTableLeavesTheTransactionOpenOnMariaDbAndMySql(String sql) {
    assertLeaves(MARIADB_OR_MYSQL, sql);
    assertControls(H2, sql);
  }

  @Test
  void databaseIsNotAskedForWhatIsTheSameOnAll() {
    assertThat(ControlText.isIn("INSERT INTO t VALUES ('a', ?) -- b", ControlTextTest::unasked))
        .isFalse();
    assertThat(ControlText.isIn("/* a */ ROLLBACK", ControlTextTest::unasked)).isTrue();
  }

  private static TransactionHabits unasked() {
    throw new AssertionError("asked which database it is");
  }

  private static void assertControls(TransactionHabits database, String sql) {
    assertThat(ControlText.isIn(sql, () -> database)).as(sql).isTrue();
  }

  private static void assertLeaves(TransactionHabits database, String sql) {
    assertThat(ControlText.isIn(sql, () -> database)).as(sql).isFalse();
  }
}
