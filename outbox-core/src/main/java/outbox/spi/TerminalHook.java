package outbox.spi;

import java.sql.Connection;
import java.util.Collection;
import outbox.model.EventStatus;

/**
 * Told by a store of the events that reached their end, inside the very transaction in which they
 * did. A store without a hook works as if there were none, statement by statement.
 */
@FunctionalInterface
public interface TerminalHook {

  /**
   * Called after the statement that ended the events, for exactly those that it changed. What this
   * throws rolls the transition back.
   *
   * @param conn in a transaction, never in auto-commit mode; the rows of the events are locked
   * @param status DONE or DEAD
   * @param eventIds never empty
   * @return what to do after the commit. A store that commits by itself runs it then; in a caller's
   *     transaction, whose end it does not see, it runs it at once
   */
  Runnable ended(Connection conn, EventStatus status, Collection<String> eventIds);
}
