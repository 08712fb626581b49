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
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/**
 * For databases where a refused insert leaves a lock, as MySQL: inserts an event without its key,
 * then gives it the key. An insert that a taken key undoes at REPEATABLE READ leaves a lock on the
 * gap of the newest ids, into which every publisher inserts; two transactions that hold this lock
 * deadlock at their next insert. An update that is undone leaves no such lock.
 */
final class UpdatingInserts implements KeyedInserts {
  /** What is needed beside the statements of plain inserts. */
  static final Set<String> STATEMENTS = Set.of("find_keys", "lock_keys", "give_key");

  private static final int MAX_TRIES = 5;

  private final Statements statements;
  private final Dialect dialect;
  private final KeyLookup keys;

  UpdatingInserts(Statements statements) {
    this.statements = statements;
    this.dialect = statements.dialect();
    this.keys = new KeyLookup(statements);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    return Optional.ofNullable(insertAll(conn, List.of(event), lease).get(event.eventId()));
  }

  /** The transaction is the caller's, or one that makes the two steps one. */
  @Override
  public Map<String, String> insertAll(
      Connection conn, List<EventEnvelope> events, @Nullable Lease lease) {
    Map<String, String> firsts = new HashMap<>(keys.findFirsts(conn, "find_keys", events));
    List<EventEnvelope> rest =
        events.stream().filter(event -> !firsts.containsKey(event.eventId())).toList();
    if (!rest.isEmpty()) {
      firsts.putAll(OwnTransaction.of(conn, dialect, () -> insertUnseen(conn, rest, lease)));
    }
    return firsts;
  }

  private Map<String, String> insertUnseen(
      Connection conn, List<EventEnvelope> events, @Nullable Lease lease) {
    insertKeyless(conn, events, lease);
    Map<String, String> firsts = new HashMap<>();
    for (EventEnvelope event : events) {
      giveKey(conn, event).ifPresent(first -> firsts.put(event.eventId(), first));
    }
    return firsts;
  }

  private void insertKeyless(Connection conn, List<EventEnvelope> events, @Nullable Lease lease) {
    List<Parameters> rows =
        events.stream()
            .map(event -> EventRows.parameters(statements, event, event.eventId(), lease))
            .toList();
    try {
      statements.update(conn, "insert_all", statements.parameters().rows(rows));
    } catch (StoreException e) {
      throw events.size() > 1 ? e : keys.unexplained(conn, events.get(0), violation(e));
    }
  }

  /** Takes the event back if another has its key. A first one may be purged meanwhile. */
  private Optional<String> giveKey(Connection conn, EventEnvelope event) {
    Parameters parameters =
        statements
            .parameters()
            .text("event_id", event.eventId())
            .text("idempotency_key", event.idempotencyKey());
    for (int tries = 1; ; tries++) {
      try {
        statements.update(conn, "give_key", parameters);
        return Optional.empty();
      } catch (StoreException e) {
        SQLException violation = violation(e);
        String first = keys.findFirsts(conn, "lock_keys", List.of(event)).get(event.eventId());
        if (first != null) {
          List<String> own = List.of(event.eventId());
          statements.update(conn, "purge_done", statements.parameters().ids(own));
          return Optional.of(first);
        }
        if (tries == MAX_TRIES) {
          throw keys.unexplained(conn, event, violation);
        }
      }
    }
  }

  private SQLException violation(StoreException e) {
    if (e.getCause() instanceof SQLException cause && dialect.isDuplicate(cause)) {
      return cause;
    }
    throw e;
  }
}
