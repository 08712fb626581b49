package outbox.internal.engine.handling;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import outbox.internal.util.Causes;
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
    Begun begun = new Begun(work);
    try {
      transactions.run(begun, networkTimeout);
    } catch (Exception e) {
      if (!begun.yes && Causes.include(e, SQLException.class)) {
        throw new NotBegunException(e);
      }
      throw e;
    }
  }

  /** Work that knows whether it was begun. */
  private static final class Begun implements TransactionRunner.Work {
    private final TransactionRunner.Work work;
    private boolean yes;

    private Begun(TransactionRunner.Work work) {
      this.work = work;
    }

    @Override
    public void run(Connection connection) throws Exception {
      yes = true;
      work.run(connection);
    }

    @Override
    public void committing() {
      work.committing();
    }

    @Override
    public void ended(boolean committed) {
      work.ended(committed);
    }
  }
}
