package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.util.Set;
import java.util.function.Supplier;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.join.JoinTracker;
import outbox.model.EventStatus;
import outbox.spi.TerminalHook;

/** Ends events together with what a hook does about it. */
public final class Endings {
  private final TerminalHook hook;

  /** What else a hook reads is its own affair, and seen at READ COMMITTED. */
  private final boolean onlyCounts;

  public Endings(TerminalHook hook) {
    this.hook = hook;
    this.onlyCounts = hook instanceof JoinTracker;
  }

  /** The hook sees what the transition really changed, as later statements of its transaction. */
  public Set<String> run(
      Connection conn, Dialect dialect, EventStatus status, Supplier<Set<String>> transition) {
    Supplier<Ended> work =
        () -> {
          Set<String> ids = transition.get();
          return new Ended(ids, ids.isEmpty() ? Endings::nothing : hook.ended(conn, status, ids));
        };
    Ended ended =
        onlyCounts
            ? OwnTransaction.ending(conn, dialect, work)
            : OwnTransaction.of(conn, dialect, work);
    ended.afterCommit.run();
    return ended.ids;
  }

  private static void nothing() {}

  private record Ended(Set<String> ids, Runnable afterCommit) {}
}
