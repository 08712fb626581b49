package outbox.join;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.Join;
import outbox.model.StepStatus;
import outbox.spi.JoinStore;
import outbox.spi.JoinStore.Excess;
import outbox.spi.JoinStore.Settlement;
import outbox.spi.TerminalHook;
import outbox.spi.TxContext;

/**
 * Counts the steps of joins as their messages end: the hook to be given to the event store. After
 * the commit it logs which joins have ended and lets the poller look for the messages that waited.
 * Thread-safe.
 */
public final class JoinTracker implements TerminalHook {
  private static final Logger LOG = System.getLogger(JoinCoordinator.class.getName());

  private final JoinStore store;
  private final @Nullable TxContext txContext;
  private volatile Runnable onDue = JoinTracker::nothing;

  /** A tracker that knows no transactions but those of the store. */
  public JoinTracker(JoinStore store) {
    this.store = requireNonNull(store, "store");
    this.txContext = null;
  }

  /** A tracker that sees when the thread's transaction, in which messages ended, has committed. */
  public JoinTracker(JoinStore store, TxContext txContext) {
    this.store = requireNonNull(store, "store");
    this.txContext = requireNonNull(txContext, "txContext");
  }

  /** What to do when waiting messages have become due, such as waking the poller. */
  public void onDue(Runnable action) {
    this.onDue = requireNonNull(action, "action");
  }

  @Override
  public Runnable ended(Connection conn, EventStatus status, Collection<String> eventIds) {
    return announcement(conn, store.settle(conn, eventIds, StepStatus.of(status)));
  }

  JoinStore store() {
    return store;
  }

  @Nullable TxContext txContext() {
    return txContext;
  }

  /** Left to the thread's transaction if the change is part of it, and otherwise to the caller. */
  Runnable announcement(Connection conn, Settlement settlement) {
    if (settlement.ended().isEmpty() && settlement.excess().isEmpty()) {
      return JoinTracker::nothing;
    }
    Runnable announce = () -> announce(settlement);
    if (txContext == null || !txContext.isCurrent(conn)) {
      return announce;
    }
    txContext.afterCommit(announce);
    return JoinTracker::nothing;
  }

  void announce(Settlement settlement) {
    for (Join join : settlement.ended()) {
      LOG.log(
          Level.INFO,
          "join ended join={0} status={1} completed={2} failed={3} expected={4}",
          join.id(),
          join.status(),
          String.valueOf(join.completedSteps()),
          String.valueOf(join.failedSteps()),
          String.valueOf(join.expectedSteps()));
    }
    for (Excess excess : settlement.excess()) {
      LOG.log(
          Level.WARNING,
          "join has more steps than it expects, they do not count: join={0} expected={1} more={2};"
              + " start it with a larger expectedSteps",
          excess.join().id(),
          String.valueOf(excess.join().expectedSteps()),
          String.valueOf(excess.steps()));
    }
    if (!settlement.ended().isEmpty()) {
      wake();
    }
  }

  /** The change is committed; nothing that happens here may look as if it were not. */
  private void wake() {
    try {
      onDue.run();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "wake-up after a join failed, its waits are found by polling", e);
    }
  }

  private static void nothing() {}
}
