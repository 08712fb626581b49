package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.Lease;

/**
 * Inserts many events, all or none: those without a key by as few statements as can be. Leaves out
 * those with an ordering key.
 */
public final class ManyInserts {
  private final EventTable table;
  private final List<List<EventEnvelope>> plain;
  private final List<List<EventEnvelope>> keyed;
  private final @Nullable Lease lease;

  public ManyInserts(EventTable table, Collection<EventEnvelope> events, @Nullable Lease lease) {
    this.table = table;
    this.plain = chunks(events, false);
    this.keyed = chunks(events, true);
    this.lease = lease;
  }

  private List<List<EventEnvelope>> chunks(Collection<EventEnvelope> events, boolean withKey) {
    return InsertChunks.of(
        events.stream()
            .filter(event -> event.orderingKey() == null && event.hasIdempotencyKey() == withKey)
            .toList(),
        table.dialect().maxRows());
  }

  /** Returns the ids of those that have a key already, by the ids of the events that brought it. */
  public Map<String, String> run(Connection conn) {
    Supplier<Map<String, String>> inserts = () -> insert(conn);
    boolean isOneStatement = keyed.isEmpty() && plain.size() <= 1;
    return isOneStatement
        ? OwnTransaction.single(conn, table.dialect(), inserts)
        : OwnTransaction.of(conn, table.dialect(), inserts);
  }

  private Map<String, String> insert(Connection conn) {
    for (List<EventEnvelope> chunk : plain) {
      new PlainInserts(table.statements()).insertAll(conn, chunk, lease);
    }
    Map<String, String> firsts = new HashMap<>();
    for (List<EventEnvelope> chunk : keyed) {
      firsts.putAll(table.keyedInserts().insertAll(conn, chunk, lease));
    }
    return firsts;
  }
}
