package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.spi.TransactionWatch;

/**
 * SQL text puts a transaction in doubt if one of its statements ends the transaction, in the syntax
 * of the database. Words inside literals, names and comments do not.
 */
abstract class StatementTextContract extends UnseenRollbackContract {
  private static final int EFFECT = 500;

  @BeforeEach
  void createTables() {
    dropTables();
    database().execute("CREATE TABLE kept (id INT)", "CREATE TABLE spare (id INT)");
  }

  @AfterEach
  void dropTables() {
    for (String table : List.of("kept", "spare", "made", "renamed")) {
      database().execute("DROP TABLE IF EXISTS " + table);
    }
  }

  @Test
  void statementThatCommitsByItselfPutsTheTransactionInDoubt() throws Exception {
    for (String sql : committing()) {
      assertThat(endsTransaction(sql)).as(sql).isTrue();
    }
  }

  @Test
  void statementThatLeavesTheTransactionOpenPutsItInNoDoubt() throws Exception {
    for (String sql : leaving()) {
      assertThat(endsTransaction(sql)).as(sql).isFalse();
    }
  }

  /** The first attempt has committed its effect; the second one completes with its own. */
  @Test
  void listenerIsNotCompletedInTheTransactionAfterAnImplicitCommit() throws Exception {
    listener =
        (connection, attempt) -> {
          if (attempt == 1) {
            execute(connection, "CREATE TABLE made (id INT)");
          }
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(attempts).hasSize(isPostgres() ? 1 : 2);
    assertThat(effects()).hasSameElementsAs(attempts);
  }

  @Test
  void listenerThatWritesControlWordsIsCompletedAtItsFirstAttempt() throws Exception {
    List<String> doubted = new CopyOnWriteArrayList<>();
    listener =
        (connection, attempt) -> {
          for (String sql : quoting()) {
            execute(connection, sql);
            if (isInDoubt(connection)) {
              doubted.add(sql);
            }
          }
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(doubted).isEmpty();
    assertThat(attempts).containsExactly(1);
    assertThat(effects()).containsExactly(1);
  }

  private List<String> committing() {
    return switch (product()) {
      case MARIADB ->
          List.of(
              "CREATE TABLE made (id INT)",
              "/* spare */ alter table spare add column name VARCHAR(10)",
              "CREATE OR REPLACE TABLE made (id INT)",
              "RENAME TABLE made TO renamed",
              "TRUNCATE TABLE kept",
              "DROP TABLE renamed",
              "ANALYZE TABLE kept",
              "START TRANSACTION");
      case MYSQL, MYSQL_BY_MARIADB_DRIVER ->
          List.of(
              "CREATE TABLE made (id INT)",
              "/* spare */ alter table spare add column name VARCHAR(10)",
              "RENAME TABLE made TO renamed",
              "TRUNCATE TABLE kept",
              "DROP TABLE renamed",
              "ANALYZE TABLE kept",
              "START TRANSACTION");
      case H2 ->
          List.of(
              "CREATE TABLE made (id INT)",
              "-- spare\nalter table spare add column name VARCHAR(10)",
              "ALTER TABLE made RENAME TO renamed",
              "TRUNCATE TABLE kept",
              "COMMENT ON TABLE kept IS 'comment'",
              "GRANT SELECT ON kept TO PUBLIC",
              "REVOKE SELECT ON kept FROM PUBLIC",
              "ANALYZE",
              "DROP TABLE renamed");
      default -> List.of();
    };
  }

  private List<String> leaving() {
    return switch (product()) {
      case MARIADB ->
          List.of(
              "CREATE TEMPORARY TABLE IF NOT EXISTS passing (id INT)",
              "CREATE OR REPLACE TEMPORARY TABLE passing (id INT)",
              "DROP TEMPORARY TABLE passing",
              "SELECT id FROM kept");
      case MYSQL, MYSQL_BY_MARIADB_DRIVER ->
          List.of(
              "CREATE TEMPORARY TABLE IF NOT EXISTS passing (id INT)",
              "DROP TEMPORARY TABLE passing",
              "SELECT id FROM kept");
      case H2 ->
          List.of(
              "CREATE LOCAL TEMPORARY TABLE IF NOT EXISTS passing (id INT) TRANSACTIONAL",
              "SELECT 1",
              "CALL 1");
      default ->
          List.of(
              "CREATE TABLE made (id INT)",
              "ALTER TABLE spare ADD COLUMN name VARCHAR(10)",
              "TRUNCATE TABLE kept",
              "DROP TABLE spare",
              "LOCK TABLE kept",
              "GRANT SELECT ON kept TO PUBLIC");
    };
  }

  private List<String> quoting() {
    List<String> everywhere =
        List.of(
            "SELECT '; COMMIT' FROM kept",
            "SELECT 'it''s; ROLLBACK; ' FROM kept",
            "SELECT id AS \"; COMMIT\" FROM kept",
            "SELECT id /* ; ROLLBACK */ FROM kept -- ; COMMIT");
    List<String> here =
        switch (product()) {
          case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER ->
              List.of(
                  "SELECT 'it\\'s; COMMIT' FROM kept",
                  "SELECT id AS `; COMMIT` FROM kept",
                  "SELECT id FROM kept # it's; COMMIT");
          case H2 -> List.of("SELECT $$it's; COMMIT$$ FROM kept", "SELECT 'a\\' , '; COMMIT'");
          default ->
              List.of(
                  "SELECT E'it\\'s; COMMIT' FROM kept",
                  "SELECT $$it's; COMMIT$$, $tag$; $$ ROLLBACK$tag$ FROM kept",
                  "SELECT 1 /* /* nested */ it's; COMMIT */",
                  "SELECT 'a\\', '; COMMIT'");
        };
    return Stream.of(everywhere, here).flatMap(List::stream).toList();
  }

  /** Whether the watch says that the statement ends a transaction; the database must agree. */
  private boolean endsTransaction(String sql) throws Exception {
    database().execute("DELETE FROM effect");
    AtomicBoolean inDoubt = new AtomicBoolean();
    assertThatThrownBy(
            () ->
                inTransaction(
                    connection -> {
                      insert(connection, EFFECT);
                      execute(connection, sql);
                      inDoubt.set(isInDoubt(connection));
                      throw new UndoneException();
                    }))
        .as(sql)
        .isInstanceOf(UndoneException.class);
    boolean committed = !effects().isEmpty();
    assertThat(inDoubt.get()).as("in doubt after " + sql).isEqualTo(committed);
    return committed;
  }

  private static boolean isInDoubt(Connection connection) {
    return requireNonNull(TransactionWatch.of(connection)).isInDoubt();
  }

  private static final class UndoneException extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
