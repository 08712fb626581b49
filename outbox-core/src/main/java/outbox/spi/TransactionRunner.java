package outbox.spi;

import java.sql.Connection;

/** Runs work in a new transaction that the application's {@link TxContext} sees as its own. */
@FunctionalInterface
public interface TransactionRunner {

  /** Commits when the work returns, rolls back and rethrows when it throws. */
  void run(Work work) throws Exception;

  /** What happens inside the transaction. */
  @FunctionalInterface
  interface Work {
    void run(Connection connection) throws Exception;
  }
}
