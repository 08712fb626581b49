package outbox.jdbc;

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
}
