package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Lease;

/**
 * The part of a store that keeps the events of an ordering key in order.
 *
 * <p><b>Places.</b> An insert gives the event the next place of its key. The key stays locked until
 * the transaction ends, so places are in the order of commits. If all earlier events of the key
 * have ended, the event is its first one, and NEW; else it is WAITING, and no claim finds it.
 *
 * <p><b>Advance.</b> {@link #advance} makes the first event of a key NEW once no earlier one is
 * left. Both must call it: the component that ends an event, after the end has committed, and the
 * component that has stored a WAITING event, after its commit. Whichever commits later sees what
 * the other did, so no event is forgotten. If a process dies before its call, {@link #sweep} lets
 * others find the key.
 *
 * <p><b>Holding.</b> A DEAD event keeps its place, and so holds its key, until it is replayed,
 * discarded, purged or {@link #release released}.
 */
public interface OrderedEvents {

  /**
   * Inserts an event that has an ordering key. An event whose idempotency key is there already gets
   * no place.
   *
   * @param lease for an event that is the first of its key; a WAITING event is not leased
   */
  Placement insert(Connection conn, EventEnvelope event, @Nullable Lease lease);

  /**
   * Starts the next events of these keys. Call it on a connection in auto-commit mode.
   *
   * @param lease leases the events that are due; null leaves them to any claim
   */
  Advance advance(Connection conn, @Nullable Lease lease, Collection<String> keys);

  /** The dead events that hold these keys. */
  List<HeldKey> held(Connection conn, Collection<String> keys);

  /** Takes dead events out of the order of their keys; returns the keys, to be advanced then. */
  Set<String> release(Connection conn, Collection<String> eventIds);

  /** The ordering keys of these events, as far as they have one. */
  Set<String> keysOf(Connection conn, Collection<String> eventIds);

  /**
   * Looks at the next keys, in their order, and forgets those that have had no live event for so
   * long.
   *
   * @param after the last key of the look before; null to begin
   * @param limit how many keys to look at
   */
  Sweep sweep(Connection conn, @Nullable String after, int limit, Duration idleFor);

  /**
   * What became of an insert.
   *
   * @param existing the id of the event that has its idempotency key; null if it was inserted
   * @param waits whether it is behind another event of its key
   */
  record Placement(@Nullable String existing, boolean waits) {
    /** It is the first of its key. */
    public static final Placement FIRST = new Placement(null, false);

    /** It is behind another event of its key. */
    public static final Placement BEHIND = new Placement(null, true);
  }

  /**
   * What an advance has started.
   *
   * @param events those that are leased now, at most one of each key
   * @param ended those that were past their expiry, and so have ended; their keys can be advanced
   *     again
   * @param followed the ids of those events that have another event of their key behind them
   * @param dueTimes when those are due that were started but are due later
   */
  record Advance(
      List<ClaimedEvent> events,
      List<OutboxEvent> ended,
      Set<String> followed,
      Set<Instant> dueTimes) {
    /** Nothing was to be started. */
    public static final Advance NOTHING = new Advance(List.of(), List.of(), Set.of(), Set.of());
  }

  /**
   * What a look at some keys has shown.
   *
   * @param busy the keys that were not seen to be idle, to be advanced
   * @param next where the next look begins; null if this was the end
   */
  record Sweep(List<String> busy, @Nullable String next) {}

  /**
   * A key that waits for an operator.
   *
   * @param eventId the dead event that holds it
   * @param topic the topic of that event
   * @param since when it died
   * @param error why; null if nothing was recorded
   */
  record HeldKey(
      String orderingKey, String eventId, String topic, Instant since, @Nullable String error) {}
}
