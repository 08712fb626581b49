package outbox.jdbc;

import java.sql.Connection;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeasedEventStore.Lease;

/** Inserts many events, all or none: those without a key by as few statements as can be. */
final class ManyInserts {
  private final Statements statements;
  private final List<List<EventEnvelope>> plain;
  private final List<List<EventEnvelope>> keyed;
  private final @Nullable Lease lease;

  ManyInserts(Statements statements, Collection<EventEnvelope> events, @Nullable Lease lease) {
    this.statements = statements;
    this.plain = chunks(events, false);
    this.keyed = chunks(events, true);
    this.lease = lease;
  }

  private List<List<EventEnvelope>> chunks(Collection<EventEnvelope> events, boolean withKey) {
    return InsertChunks.of(
        events.stream().filter(event -> event.hasIdempotencyKey() == withKey).toList(),
        statements.dialect().maxRows());
  }

  /** Returns the ids of those that have a key already, by the ids of the events that brought it. */
  Map<String, String> run(Connection conn) {
    Supplier<Map<String, String>> inserts = () -> insert(conn);
    boolean isOneStatement = keyed.isEmpty() && plain.size() <= 1;
    return isOneStatement
        ? OwnTransaction.single(conn, statements.dialect(), inserts)
        : OwnTransaction.of(conn, statements.dialect(), inserts);
  }

  private Map<String, String> insert(Connection conn) {
    for (List<EventEnvelope> chunk : plain) {
      new PlainInserts(statements).insertAll(conn, chunk, lease);
    }
    Map<String, String> firsts = new HashMap<>();
    for (List<EventEnvelope> chunk : keyed) {
      firsts.putAll(statements.keyedInserts().insertAll(conn, chunk, lease));
    }
    return firsts;
  }
}
