package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.DeadLetter;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.MetricsExporter;

/**
 * Takes due events out of the database into the cold lane, never more than it has room for. Used by
 * one poller at a time; only {@link #awaitDemand} and {@link #wake} may be called by others.
 */
public final class Claimer {
  private static final Logger LOG = System.getLogger(Claimer.class.getName());
  static final String OPERATION = "claim";

  /** Demand that comes in faster is served together: small claims cost as much as large ones. */
  private static final Duration SHORTEST_GAP = Duration.ofMillis(5);

  private final Station station;
  private final EngineConnections connections;
  private final LeasedEventStore store;
  private final int batchSize;
  private final Duration skipRecent;
  private final MetricsExporter metrics;
  private final Waiter demand = new Waiter();
  private final ClaimHint hint = new ClaimHint();
  private final Reaper reaper;

  private volatile long lastCycle = System.nanoTime();

  Claimer(
      Station station,
      EngineConnections connections,
      LeasedEventStore store,
      int batchSize,
      Duration skipRecent,
      MetricsExporter metrics) {
    this.station = station;
    this.connections = connections;
    this.store = store;
    this.batchSize = batchSize;
    this.skipRecent = skipRecent;
    this.metrics = MetricsExporter.quiet(metrics);
    this.reaper = new Reaper(station, connections, store);
    station.onDemand(demand::wake);
  }

  /**
   * One cycle: claims until a batch comes back short or the cold lane is full. Skipped if it is
   * full already.
   *
   * @return how many events were put into the cold lane or had expired
   * @throws RuntimeException if the database does not answer; the caller waits for {@link #failed}
   */
  public int cycle() {
    return station.claiming(this::claimAllThatFits, 0);
  }

  private int claimAllThatFits() {
    int total = 0;
    lastCycle = System.nanoTime();
    int room = station.lanes().coldRoom();
    while (room > 0 && !station.isClosing()) {
      int limit = Math.min(batchSize, room);
      boolean complete = hint.isCompleteScanDue();
      int claimed =
          claim(limit, station.lanes().coldBytesFor(limit), hint.start(), () -> true).taken();
      total += claimed;
      room = station.lanes().coldRoom();
      if (claimed < limit) {
        hint.clear();
        if (complete) {
          break;
        }
      }
      if (room < batchSize && room < (station.coldCapacity() + 1) / 2) {
        break;
      }
    }
    reaper.reapIfDue();
    station.workerLog().summarizeIfDue();
    metrics.recordQueueDepths(station.lanes().hotDepth(), station.lanes().coldDepth());
    return total;
  }

  /**
   * One batch, for a roster that decides when the next is due.
   *
   * @param hopeful whether something is probably there, so that to look first would only cost time;
   *     asked once there is a connection
   */
  Batch claimOne(int limit, long maxBytes, BooleanSupplier hopeful) {
    return station.claiming(
        () -> {
          lastCycle = System.nanoTime();
          boolean complete = hint.isCompleteScanDue();
          Batch batch = claim(limit, maxBytes, hint.start(), hopeful);
          if (!batch.full()) {
            hint.clear();
            reaper.reapIfDue();
          }
          station.workerLog().summarizeIfDue();
          metrics.recordQueueDepths(station.lanes().hotDepth(), station.lanes().coldDepth());
          return batch.full() || complete ? batch : new Batch(batch.taken(), true);
        },
        Batch.EMPTY);
  }

  /** When the next look may be taken: demand that comes in faster is served together. */
  long nextAllowed() {
    return lastCycle + SHORTEST_GAP.toNanos();
  }

  /**
   * What one statement got.
   *
   * @param taken how many events were put into the cold lane
   * @param full whether there may be more that are due
   */
  record Batch(int taken, boolean full) {
    static final Batch EMPTY = new Batch(0, false);
  }

  /** Notes that a cycle failed; returns how long to wait before the next one. */
  public Duration failed(Throwable error) {
    return station.outage().failed(OPERATION, error);
  }

  /**
   * Waits until events are left in the database, the cold lane has room again, or the time is over.
   */
  public void awaitDemand(Duration limit) throws InterruptedException {
    demand.await(limit);
    long rest = lastCycle + SHORTEST_GAP.toNanos() - System.nanoTime();
    if (rest > 0) {
      LockSupport.parkNanos(rest);
    }
  }

  /** Ends a wait in {@link #awaitDemand}. */
  public void wake() {
    demand.wake();
  }

  private Batch claim(int limit, long maxBytes, @Nullable Instant after, BooleanSupplier hopeful) {
    long before = System.nanoTime();
    hint.clear();
    String owner = station.claimToken();
    Duration lease = station.lease();
    ClaimRequest request = new ClaimRequest(owner, lease, limit, maxBytes, after, skipRecent);
    Claimed claimed =
        connections.call(
            OPERATION,
            c ->
                hopeful.getAsBoolean() || store.mayHaveDue(c)
                    ? store.claim(c, request)
                    : Claimed.NOTHING);
    Hold hold = new Hold(owner, station.deadlineFrom(before));
    int taken = 0;
    long bytes = 0;
    for (ClaimedEvent event : claimed.events()) {
      bytes += largestSize(event.event());
      taken += acceptOrLeave(event, hold, before) ? 1 : 0;
    }
    claimed.ended().forEach(this::expired);
    station.workerLog().fetched(taken, station);
    if (LOG.isLoggable(Level.DEBUG)) {
      LOG.log(
          Level.DEBUG,
          "claimed count={0} expired={1}{2}",
          taken,
          claimed.expired(),
          station.label());
    }
    recordLag(claimed);
    hint.moveBehind(claimed.watermark());
    int found = claimed.events().size() + claimed.expired();
    return new Batch(taken + claimed.expired(), found >= limit || bytes >= maxBytes);
  }

  /** The store has ended it, and counted an attempt. */
  private void expired(OutboxEvent event) {
    metrics.incrementDispatchDead();
    station.died(
        new DeadLetter(
            event.withoutPayload(), Instant.now(), LeasedEventStore.EXPIRED, 0, null, null));
  }

  /** Of text only the characters are known; each is three bytes at the most, as UTF-8 counts. */
  private static long largestSize(OutboxEvent event) {
    byte[] binary = event.payloadBytes();
    String text = event.payloadJson();
    return (binary == null ? 0 : binary.length) + (text == null ? 0 : 3L * text.length());
  }

  /** One event that cannot be taken in is left to its lease, and holds up no other one. */
  private boolean acceptOrLeave(ClaimedEvent claimed, Hold hold, long before) {
    try {
      return accept(claimed, hold, before);
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "claimed event not taken in, its lease runs out event="
              + claimed.event()
              + station.label(),
          FailureTrace.of(e));
      return false;
    }
  }

  /**
   * Returns false if the event was in flight already, as a store without leases may show it again.
   */
  private boolean accept(ClaimedEvent claimed, Hold hold, long before) {
    OutboxEvent event = claimed.event();
    EventEnvelope envelope;
    try {
      envelope = event.toEnvelope();
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "undecodable event={0} cause={1}{2}",
          event,
          e.getMessage(),
          station.label());
      station.kill(Delivery.undecodable(event, hold), "undecodable: " + e.getMessage());
      return true;
    }
    Delivery delivery =
        new Delivery(
                envelope,
                Source.COLD,
                event.attempts(),
                event.createdAt(),
                hold,
                claimed.suspect(),
                claimed.leaseExpiries())
            .after(claimed.lastError())
            .by(StoreTime.of(claimed, station.lease(), before));
    boolean accepted = station.acceptCold(delivery);
    if (accepted) {
      metrics.incrementColdEnqueued();
    }
    return accepted;
  }

  private void recordLag(Claimed claimed) {
    Instant now = Instant.now();
    long lag = 0;
    for (ClaimedEvent event : claimed.events()) {
      lag = Math.max(lag, Duration.between(event.event().createdAt(), now).toMillis());
    }
    station.recordLag(lag);
  }
}
