package outbox.testing.memory;

import java.sql.Connection;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.spi.TerminalHook;

/** Ends events together with what a hook does about it, if there is one. */
final class InMemoryEndings {
  private final InMemoryTable table;
  private final @Nullable TerminalHook hook;

  InMemoryEndings(InMemoryTable table, @Nullable TerminalHook hook) {
    this.table = table;
    this.hook = hook;
  }

  /** The hook sees what the transition really changed, in the same transaction. */
  Set<String> run(Connection conn, EventStatus status, Function<Session, Set<String>> transition) {
    Session session = table.session(conn);
    return hook == null
        ? transition.apply(session)
        : told(hook, conn, status, session, () -> transition.apply(session));
  }

  private static Set<String> told(
      TerminalHook hook,
      Connection conn,
      EventStatus status,
      Session session,
      Supplier<Set<String>> transition) {
    Ended ended =
        session.inTransaction(
            () -> {
              Set<String> ids = transition.get();
              return new Ended(
                  ids, ids.isEmpty() ? InMemoryEndings::nothing : hook.ended(conn, status, ids));
            });
    ended.afterCommit.run();
    return ended.ids;
  }

  private static void nothing() {}

  private record Ended(Set<String> ids, Runnable afterCommit) {}
}
