package outbox.jdbc.internal.tx;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import outbox.spi.TransactionWatch.SavepointListener;

/**
 * The callbacks of one transaction in the order of registration, and where among them each
 * savepoint lies. Confined to the transaction's thread.
 */
public final class TransactionCallbacks implements SavepointListener {
  private static final Logger LOG = System.getLogger("outbox.jdbc.TransactionCallbacks");

  private final List<Callback> callbacks = new ArrayList<>();
  private final IdentityHashMap<Savepoint, Integer> savepoints = new IdentityHashMap<>();

  public void afterCommit(Runnable action) {
    callbacks.add(new Callback(Outcome.COMMIT, action));
  }

  public void afterRollback(Runnable action) {
    callbacks.add(new Callback(Outcome.ROLLBACK, action));
  }

  @Override
  public void savepointSet(Savepoint savepoint) {
    savepoints.put(savepoint, callbacks.size());
  }

  @Override
  public void savepointReleased(Savepoint savepoint) {
    savepoints.remove(savepoint);
  }

  /** A savepoint that this transaction did not see being set counts as set at its beginning. */
  @Override
  public void rolledBackTo(Savepoint savepoint) {
    int position = savepoints.getOrDefault(savepoint, 0);
    savepoints.values().removeIf(other -> other > position);
    List<Callback> undone = callbacks.subList(position, callbacks.size());
    List<Callback> due = List.copyOf(undone);
    undone.clear();
    run(due, Outcome.ROLLBACK);
  }

  public void committed() {
    run(callbacks, Outcome.COMMIT);
  }

  public void rolledBack() {
    run(callbacks, Outcome.ROLLBACK);
  }

  private static void run(List<Callback> callbacks, Outcome outcome) {
    for (Callback callback : callbacks) {
      if (callback.outcome == outcome) {
        run(callback);
      }
    }
  }

  private static void run(Callback callback) {
    try {
      callback.action.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "transaction callback failed after=" + callback.outcome, e);
    }
  }

  private enum Outcome {
    COMMIT,
    ROLLBACK
  }

  private record Callback(Outcome outcome, Runnable action) {}
}
