package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.Lease;

/**
 * How events with a key of their producer are inserted: past those that are there, or around them.
 * Each call is to be run by {@link OwnTransaction}.
 */
public interface KeyedInserts {

  /** Inserts the event, or returns the id of the one that has its key. */
  Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease);

  /**
   * Inserts events in their order; returns the ids of those that have a key, by that of the event.
   */
  Map<String, String> insertAll(Connection conn, List<EventEnvelope> events, @Nullable Lease lease);
}
