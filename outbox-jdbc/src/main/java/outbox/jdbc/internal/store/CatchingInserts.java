package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.sql.Statements;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/**
 * For databases where a violation undoes the statement and nothing else: look for the key, which
 * locks nothing, insert, and look again, past any snapshot, if another transaction was faster.
 */
final class CatchingInserts implements KeyedInserts {
  /** What is needed beside the statements of plain inserts. */
  static final Set<String> STATEMENTS = Set.of("find_keys", "lock_keys");

  private static final int MAX_TRIES = 5;

  private final Statements statements;
  private final Dialect dialect;
  private final KeyLookup keys;

  CatchingInserts(Statements statements) {
    this.statements = statements;
    this.dialect = statements.dialect();
    this.keys = new KeyLookup(statements);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    String first = keys.findFirsts(conn, "find_keys", List.of(event)).get(event.eventId());
    return first == null ? insertUnseen(conn, event, lease) : Optional.of(first);
  }

  /** A first one may be purged between the two statements: then this one is the first. */
  private Optional<String> insertUnseen(
      Connection conn, EventEnvelope event, @Nullable Lease lease) {
    for (int tries = 1; ; tries++) {
      try {
        statements.update(conn, "insert", EventRows.parameters(statements, event, lease));
        return Optional.empty();
      } catch (StoreException e) {
        SQLException violation = violation(e);
        String first = keys.findFirsts(conn, "lock_keys", List.of(event)).get(event.eventId());
        if (first != null) {
          return Optional.of(first);
        }
        if (tries == MAX_TRIES) {
          throw keys.unexplained(conn, event, violation);
        }
      }
    }
  }

  /** All that are not there by one statement, or, if that is refused, one by one. */
  @Override
  public Map<String, String> insertAll(
      Connection conn, List<EventEnvelope> events, @Nullable Lease lease) {
    Map<String, String> firsts = new HashMap<>(keys.findFirsts(conn, "find_keys", events));
    List<EventEnvelope> rest =
        events.stream().filter(event -> !firsts.containsKey(event.eventId())).toList();
    if (rest.isEmpty()) {
      return firsts;
    }
    try {
      statements.update(conn, "insert_all", EventRows.parameters(statements, rest, lease));
    } catch (StoreException e) {
      violation(e);
      for (EventEnvelope event : rest) {
        insertUnseen(conn, event, lease).ifPresent(first -> firsts.put(event.eventId(), first));
      }
    }
    return firsts;
  }

  private SQLException violation(StoreException e) {
    if (e.getCause() instanceof SQLException cause && dialect.isDuplicate(cause)) {
      return cause;
    }
    throw e;
  }
}
