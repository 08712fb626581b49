package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The victim of a deadlock goes on in a transaction that begins by itself. */
abstract class SwallowedDeadlockContract extends StatementTextContract {
  private static final String DEADLOCK = "40001";

  @SuppressWarnings("NullAway.Init")
  private Deadlock deadlock;

  @BeforeEach
  void beginRival() throws Exception {
    deadlock = Deadlock.begin(database());
  }

  @AfterEach
  void endRival() throws Exception {
    deadlock.close();
  }

  @Test
  void swallowedDeadlockDeliversOnlyWhatWasPublishedSince() throws Exception {
    inTransaction(
        connection -> {
          publish();
          deadlock.swallowedBy(connection);
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void listenerThatSwallowsADeadlockIsNotCompletedWithoutItsEffect() throws Exception {
    completesAtTheSecondAttempt(TRANSACTIONAL, deadlock::swallowedBy, DEADLOCK);
  }

  @Test
  void handlerThatSwallowsADeadlockIsNotCompletedWithoutItsEffect() throws Exception {
    completesAtTheSecondAttempt(HANDLED, deadlock::swallowedBy, DEADLOCK);
  }

  @Test
  void inboxHandlerThatSwallowsADeadlockIsNotCompletedWithoutItsEffect() throws Exception {
    inboxCompletesAtTheSecondAttempt(deadlock::swallowedBy);
  }

  @Test
  void deadlockBehindAnotherFailureOfItsBatchIsNotOverlooked() throws Exception {
    completesAtTheSecondAttempt(
        TRANSACTIONAL,
        connection -> deadlock.swallowedBy(connection, sql -> inABatch(connection, sql)),
        "SQLState");
  }

  @Test
  void deadlockBehindAnotherFailureOfAPreparedBatchIsNotOverlooked() throws Exception {
    completesAtTheSecondAttempt(
        TRANSACTIONAL,
        connection -> deadlock.swallowedBy(connection, sql -> inAPreparedBatch(connection)),
        "SQLState");
  }

  private static void inABatch(Connection connection, String victim) throws SQLException {
    try (Statement batch = connection.createStatement()) {
      batch.addBatch("INSERT INTO deadlock VALUES (0, 0)");
      batch.addBatch(victim);
      batch.executeBatch();
    }
  }

  /** The first id is out of range; the second row is the rival's. */
  private static void inAPreparedBatch(Connection connection) throws SQLException {
    try (PreparedStatement batch =
        connection.prepareStatement("UPDATE deadlock SET id = ? WHERE id = ?")) {
      batch.setLong(1, 99_999_999_999L);
      batch.setInt(2, 0);
      batch.addBatch();
      batch.setLong(1, 1000);
      batch.setInt(2, 1);
      batch.addBatch();
      batch.executeBatch();
    }
  }

  @Test
  void savepointBeforeADeadlockProvesNothing() throws Exception {
    inTransaction(
        connection -> {
          publish();
          Savepoint savepoint = connection.setSavepoint();
          deadlock.swallowedBy(connection);
          rollBackQuietly(connection, savepoint);
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void savepointOfTheSameNameAfterADeadlockProvesNothing() throws Exception {
    inTransaction(
        connection -> {
          publish();
          Savepoint savepoint = connection.setSavepoint("same");
          deadlock.swallowedBy(connection);
          connection.setSavepoint("same");
          rollBackQuietly(connection, savepoint);
          publish();
        });

    assertDeliveredIsWhatTheDatabaseKept(1);
  }

  @Test
  void listenerIsNotCompletedBecauseOfASavepointBeforeItsDeadlock() throws Exception {
    completesAtTheSecondAttempt(
        TRANSACTIONAL,
        connection -> {
          Savepoint savepoint = connection.setSavepoint("same");
          deadlock.swallowedBy(connection);
          connection.setSavepoint("same");
          rollBackQuietly(connection, savepoint);
        },
        DEADLOCK);
  }

  private static void rollBackQuietly(Connection connection, Savepoint savepoint) {
    try {
      connection.rollback(savepoint);
    } catch (SQLException e) {
      // there is none in the transaction that has begun since
    }
  }
}
