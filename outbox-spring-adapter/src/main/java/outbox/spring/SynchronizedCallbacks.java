package outbox.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.spi.TransactionWatch.SavepointListener;

/**
 * The callbacks of one Spring transaction in the order of registration, and where among them each
 * savepoint lies. Bound to the thread while its transaction is not suspended.
 */
final class SynchronizedCallbacks implements TransactionSynchronization, SavepointListener {
  static final String COMMITTED =
      "the transaction of this thread has committed already; publish in a new one (REQUIRES_NEW)";

  private static final Logger LOG = System.getLogger(SpringTxContext.class.getName());

  private final SpringTxContext context;
  private final boolean sinceBegin;
  private final List<Callback> callbacks = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> savepoints = new IdentityHashMap<>();
  private @Nullable WatchedHolder watched;
  private boolean aborted;
  private boolean committed;

  SynchronizedCallbacks(SpringTxContext context, boolean sinceBegin) {
    this.context = context;
    this.sinceBegin = sinceBegin;
  }

  /** Whether it has been there since its transaction began, so that it belongs to it for sure. */
  boolean isSinceBegin() {
    return sinceBegin;
  }

  /** Learns of savepoints that are set on the connection itself, and of what speaks against it. */
  void watch(@Nullable WatchedHolder holder) {
    watched = holder;
    if (holder != null) {
      holder.addListener(this);
    }
  }

  boolean isInDoubt() {
    return aborted || (watched != null && watched.isInDoubt());
  }

  /** What is written after the commit depends on the code that cleans up the connection. */
  boolean isCommitted() {
    return committed;
  }

  void afterCommit(Runnable action) {
    callbacks.add(new Callback(STATUS_COMMITTED, action));
  }

  void afterRollback(Runnable action) {
    callbacks.add(new Callback(STATUS_ROLLED_BACK, action));
  }

  /** Before those of others: one of them that throws would keep ours from being called. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResourceIfPossible(context);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(context, this);
  }

  @Override
  public void savepoint(Object savepoint) {
    savepoints.put(savepoint, callbacks.size());
  }

  /** A savepoint that was set before the first registration counts as set at the beginning. */
  @Override
  public void savepointRollback(Object savepoint) {
    int position = savepoints.getOrDefault(savepoint, 0);
    savepoints.values().removeIf(other -> other > position);
    List<Callback> undone = callbacks.subList(position, callbacks.size());
    List<Callback> due = List.copyOf(undone);
    undone.clear();
    run(due, STATUS_ROLLED_BACK);
  }

  @Override
  public void savepointSet(Savepoint savepoint) {
    savepoint(savepoint);
  }

  @Override
  public void savepointReleased(Savepoint savepoint) {
    savepoints.remove(savepoint);
  }

  @Override
  public void rolledBackTo(Savepoint savepoint) {
    savepointRollback(savepoint);
  }

  /** The last look before the commit: Hibernate's statements do not pass the watched connection. */
  @Override
  public void beforeCompletion() {
    aborted = watched != null && !callbacks.isEmpty() && watched.isAborted();
  }

  @Override
  public void afterCommit() {
    committed = true;
    run(callbacks, STATUS_COMMITTED);
  }

  /** An unknown outcome is no commit: what was stored after all is found by a poller. */
  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(context);
    if (status != STATUS_COMMITTED) {
      run(callbacks, STATUS_ROLLED_BACK);
    } else if (!committed && !callbacks.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "events published after the commit of their transaction count={0}; they may be lost;"
              + " publish in a new transaction (REQUIRES_NEW)",
          callbacks.size());
    }
  }

  private static void run(List<Callback> callbacks, int status) {
    for (Callback callback : callbacks) {
      if (callback.status == status) {
        run(callback);
      }
    }
  }

  /** What it throws must not reach the caller of a transaction whose outcome stands. */
  private static void run(Callback callback) {
    try {
      callback.action.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "transaction callback failed status=" + callback.status, e);
    }
  }

  private record Callback(int status, Runnable action) {}
}
