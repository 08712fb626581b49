package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import outbox.internal.connection.NetworkLimit;

/** Runs work in a new transaction that the application's {@link TxContext} sees as its own. */
@FunctionalInterface
public interface TransactionRunner {

  /** Commits when the work returns, rolls back and rethrows when it throws. */
  void run(Work work) throws Exception;

  /**
   * As {@link #run(Work)}, and gives the connection up when the database takes longer than {@code
   * networkTimeout} for an answer. The engine runs transactional listeners by this method.
   *
   * <p>By default the limit holds while the work runs, and everything from the end of the work on
   * counts as the commit. Override it to limit begin and commit too, to call {@link
   * Work#committing()} and {@link Work#ended} around the commit itself, and to set the connection's
   * network timeout back before others get the connection.
   */
  default void run(Work work, Duration networkTimeout) throws Exception {
    run(
        connection -> {
          NetworkLimit limit = NetworkLimit.on(connection, networkTimeout);
          try {
            work.run(connection);
            work.committing();
          } finally {
            limit.lift();
          }
        });
  }

  /** What happens inside the transaction. */
  @FunctionalInterface
  interface Work {
    /** Does the work by statements on the connection. */
    void run(Connection connection) throws Exception;

    /**
     * Called when nothing but the answer to the commit is waited for. From now on a database that
     * does not answer within the network timeout counts as silent.
     */
    default void committing() {}

    /**
     * Called as soon as the database has answered the commit, before callbacks of the application
     * run.
     *
     * @param committed whether the commit succeeded; if it failed, false or no call at all
     */
    default void ended(boolean committed) {}
  }
}
