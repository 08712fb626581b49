package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/**
 * For databases whose INSERT can pass over what is there: one statement for what is new, and a
 * second to find the others. No violation, which on PostgreSQL would cost the caller his
 * transaction; what was passed over for another reason than its key is an error.
 */
final class IgnoringInserts implements KeyedInserts {
  /** What is needed beside the statements of plain inserts. */
  static final Set<String> STATEMENTS = Set.of("insert_once", "insert_all_once", "find_keys");

  private static final int MAX_TRIES = 5;
  private static final String SERIALIZATION_FAILURE = "40001";

  private final Statements statements;
  private final KeyLookup keys;

  IgnoringInserts(Statements statements) {
    this.statements = statements;
    this.keys = new KeyLookup(statements);
  }

  @Override
  public Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    Map<String, String> firsts =
        inserted(
            conn,
            List.of(event),
            rest -> {
              Parameters parameters = EventRows.parameters(statements, event, lease);
              return statements.update(conn, "insert_once", parameters) == 1
                  ? Set.of(event.eventId())
                  : Set.of();
            });
    return Optional.ofNullable(firsts.get(event.eventId()));
  }

  @Override
  public Map<String, String> insertAll(
      Connection conn, List<EventEnvelope> events, @Nullable Lease lease) {
    return inserted(
        conn,
        events,
        rest ->
            new HashSet<>(
                statements.query(
                    conn,
                    "insert_all_once",
                    EventRows.parameters(statements, rest, lease),
                    row -> row.getString(1))));
  }

  /** A first one may be purged between the two statements: then this one is the first. */
  private Map<String, String> inserted(
      Connection conn, List<EventEnvelope> events, Insertion insertion) {
    Map<String, String> firsts = new HashMap<>();
    List<EventEnvelope> rest = new ArrayList<>(events);
    for (int tries = 1; ; tries++) {
      List<EventEnvelope> now = List.copyOf(rest);
      Set<String> ids = explained(() -> insertion.of(now));
      rest.removeIf(event -> ids.contains(event.eventId()));
      if (!rest.isEmpty()) {
        firsts.putAll(keys.findFirsts(conn, "find_keys", rest));
        rest.removeIf(event -> firsts.containsKey(event.eventId()));
      }
      if (rest.isEmpty()) {
        return firsts;
      }
      if (tries == MAX_TRIES) {
        throw keys.unexplained(conn, rest.get(0), null);
      }
    }
  }

  private static <T> T explained(Supplier<T> statement) {
    try {
      return statement.get();
    } catch (StoreException e) {
      if (e.getCause() instanceof SQLException cause
          && SERIALIZATION_FAILURE.equals(cause.getSQLState())) {
        throw new StoreException(
            e.getMessage()
                + ": above READ COMMITTED, a key that was committed after this transaction began"
                + " cannot be seen; roll back and run it again, or run it at READ COMMITTED",
            cause);
      }
      throw e;
    }
  }

  /** Returns the ids of those that were inserted. */
  @FunctionalInterface
  private interface Insertion {
    Set<String> of(List<EventEnvelope> events);
  }
}
