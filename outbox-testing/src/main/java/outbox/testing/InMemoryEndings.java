package outbox.testing;

import java.sql.Connection;
import java.util.Set;
import java.util.function.Supplier;
import outbox.model.EventStatus;
import outbox.spi.TerminalHook;

/** Ends events together with what a hook does about it. */
final class InMemoryEndings {
  private InMemoryEndings() {}

  static Set<String> run(
      TerminalHook hook,
      Session session,
      Connection conn,
      EventStatus status,
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
