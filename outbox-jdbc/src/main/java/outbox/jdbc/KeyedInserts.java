package outbox.jdbc;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeasedEventStore.Lease;

/**
 * How events with a key of their producer are inserted: past those that are there, or around them.
 * Each call is to be run by {@link OwnTransaction}.
 */
interface KeyedInserts {

  /** The statements needed for it beside those of plain inserts. */
  Set<String> statementNames();

  /** Inserts the event, or returns the id of the one that has its key. */
  Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease);

  /**
   * Inserts events in their order; returns the ids of those that have a key, by that of the event.
   */
  Map<String, String> insertAll(Connection conn, List<EventEnvelope> events, @Nullable Lease lease);
}
