package outbox.jdbc.internal.schema;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import outbox.internal.util.Pause;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.spi.StoreException;

/**
 * Changes a table in use. All other sessions wait behind a session that waits for a lock on the
 * whole table. So this waits for the lock only briefly, pauses to let the others pass, and tries
 * again.
 */
final class ShortLocks {
  private static final Logger LOG = System.getLogger("outbox.jdbc.ShortLocks");
  private static final Duration PATIENCE = Duration.ofMinutes(30);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final int MAX_DOUBLINGS = 4;

  private ShortLocks() {}

  /** Runs the change in a transaction of its own, again and again until it gets its lock. */
  static void run(SchemaSession session, String step, SchemaSession.Change change)
      throws SQLException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (int tries = 0; ; tries++) {
      try {
        session.inTransaction(
            locked -> {
              locked.set(locked.dialect().shortLockWaits());
              change.apply(locked);
            });
        return;
      } catch (SQLException | StoreException e) {
        if (!isLockTimeout(session.dialect(), e)) {
          throw e;
        }
        if (System.nanoTime() > deadline) {
          throw new SQLException(
              step
                  + ": table "
                  + session.table()
                  + " was in use for "
                  + PATIENCE
                  + "; end the transaction that locks it and run the command again: it continues here",
              e);
        }
        LOG.log(Level.INFO, "schema of {0}: {1} lets others pass", session.table(), step);
        Pause.of(pause(tries));
      }
    }
  }

  private static boolean isLockTimeout(Dialect dialect, Exception e) {
    Throwable cause = e instanceof StoreException ? e.getCause() : e;
    return cause instanceof SQLException sql
        && (dialect.isLockTimeout(sql) || dialect.isTransient(sql));
  }

  private static Duration pause(int tries) {
    long most = FIRST_PAUSE.toMillis() << Math.min(tries, MAX_DOUBLINGS);
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
  }
}
