package outbox.dispatch;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.spi.TransactionRunner;

/**
 * There was no transaction for listeners to run in, because the database did not give one: its
 * failure, not theirs.
 */
final class NotBegunException extends Exception {
  private static final long serialVersionUID = 1L;

  private NotBegunException(Exception cause) {
    super(cause.getMessage(), cause);
  }

  /** Runs the work in a transaction, or throws this if there is none to be had. */
  static void orRun(
      TransactionRunner transactions, Duration networkTimeout, TransactionRunner.Work work)
      throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    try {
      transactions.run(
          connection -> {
            begun.set(true);
            work.run(connection);
          },
          networkTimeout);
    } catch (Exception e) {
      if (!begun.get() && Causes.include(e, SQLException.class)) {
        throw new NotBegunException(e);
      }
      throw e;
    }
  }
}
