package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/**
 * A statement waits too long for a lock. InnoDB then undoes the statement or, if {@code
 * innodb_rollback_on_timeout} is set, the whole transaction; a new one begins by itself.
 */
abstract class SwallowedTimeoutContract extends SwallowedDeadlockContract {

  @Test
  void swallowedLockTimeoutDeliversOnlyWhatTheDatabaseKept() throws Exception {
    inTransaction(
        connection -> {
          publish();
          timeOut(connection);
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(rollsBack() ? 1 : 2);
  }

  /** It may run again although the database has kept its effect: then that is undone first. */
  @Test
  void listenerThatSwallowsALockTimeoutTakesEffectOnce() throws Exception {
    listener =
        (connection, attempt) -> {
          if (attempt == 1) {
            timeOut(connection);
          }
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(effects()).containsExactly(attempts.size());
  }

  /** MySQL's driver goes on with the batch and throws the last of its failures. */
  @Test
  void listenerThatSwallowsALockTimeoutBeforeAnotherFailureOfItsBatchTakesEffectOnce()
      throws Exception {
    listener =
        (connection, attempt) -> {
          if (attempt == 1) {
            execute(connection, "SET SESSION innodb_lock_wait_timeout = 1");
            try (Statement batch = connection.createStatement()) {
              batch.addBatch("UPDATE deadlock SET n = 7 WHERE id = 1");
              batch.addBatch("INSERT INTO deadlock VALUES (0, 0)");
              assertThatThrownBy(batch::executeBatch).isInstanceOf(BatchUpdateException.class);
            }
            execute(connection, "SET SESSION innodb_lock_wait_timeout = DEFAULT");
          }
        };

    String id = publish(TRANSACTIONAL);

    awaitDone(id);
    assertThat(effects()).containsExactly(attempts.size());
  }

  @Test
  void procedureThatRollsBackDeliversOnlyWhatTheDatabaseKept() throws Exception {
    createProcedure();

    inTransaction(
        connection -> {
          publish();
          try (CallableStatement call = connection.prepareCall("{call give_up()}")) {
            call.execute();
          }
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void listenerWhoseProcedureRollsBackIsNotCompleted() throws Exception {
    createProcedure();

    completesAtTheSecondAttempt(
        TRANSACTIONAL, connection -> execute(connection, "CALL give_up()"), "SQL text");
  }

  private static void createProcedure() {
    database()
        .execute(
            "DROP PROCEDURE IF EXISTS give_up", "CREATE PROCEDURE give_up() BEGIN ROLLBACK; END");
  }

  /** The rival of the deadlocks holds this row. */
  private static void timeOut(Connection connection) throws SQLException {
    execute(connection, "SET SESSION innodb_lock_wait_timeout = 1");
    assertThatThrownBy(() -> execute(connection, "UPDATE deadlock SET n = 7 WHERE id = 1"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1205));
    execute(connection, "SET SESSION innodb_lock_wait_timeout = DEFAULT");
  }

  private static boolean rollsBack() throws SQLException {
    try (Connection connection = database().dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
