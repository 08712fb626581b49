package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * The smallest store: five statements on a connection that the caller owns. No method commits,
 * rolls back or closes it.
 *
 * <p>A store that implements only this runs on a single node: it knows no leases. Its events are
 * delivered from memory after the commit, as those of any store, but it cannot be asked whether an
 * event survived. The stores of this library are {@link LeasedEventStore}s.
 */
public interface EventStore {

  /**
   * Inserts the event. One that brings a key of its producer is left out if its tenant has an event
   * of that key.
   */
  void insertNew(Connection conn, EventEnvelope event);

  /** Marks an event done; returns 0 if it was done already. */
  int markDone(Connection conn, String eventId);

  /**
   * Counts a failed attempt of an event and makes it due at an instant; returns how many rows
   * changed.
   */
  int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error);

  /** Makes an event DEAD with its error; returns how many rows changed. */
  int markDead(Connection conn, String eventId, @Nullable String error);

  /** Pending events due at {@code now} and older than {@code skipRecent}, oldest first. */
  List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit);
}
