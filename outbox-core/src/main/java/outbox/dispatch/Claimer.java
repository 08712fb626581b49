package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;
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
  private static final String OPERATION = "claim";

  /**
   * How far behind the last row seen the next claim starts: room for transactions that commit late.
   */
  private static final Duration LONGEST_HINT_SLACK = Duration.ofMillis(500);

  private static final int HINT_SLACK_BATCHES = 5;

  private static final Duration LONGEST_HINTED_RUN = Duration.ofSeconds(5);

  /** Demand that comes in faster is served together: small claims cost as much as large ones. */
  private static final Duration SHORTEST_GAP = Duration.ofMillis(5);

  private static final Duration REAP_PERIOD = Duration.ofMinutes(1);
  private static final int REAP_LIMIT = 1000;

  private final Engine engine;
  private final EngineConnections connections;
  private final LeasedEventStore store;
  private final int batchSize;
  private final Duration skipRecent;
  private final MetricsExporter metrics;
  private final Waiter demand = new Waiter();

  /** Where the next claim may start; null after a short batch, a failure or a restart. */
  private @Nullable Instant hint;

  private @Nullable Instant lastWatermark;
  private volatile long lastCycle = System.nanoTime();
  private long lastCompleteScan;
  private long lastReap = System.nanoTime();

  Claimer(
      Engine engine,
      EngineConnections connections,
      LeasedEventStore store,
      int batchSize,
      Duration skipRecent,
      MetricsExporter metrics) {
    this.engine = engine;
    this.connections = connections;
    this.store = store;
    this.batchSize = batchSize;
    this.skipRecent = skipRecent;
    this.metrics = MetricsExporter.quiet(metrics);
    engine.onDemand(demand::wake);
  }

  /**
   * One cycle: claims until a batch comes back short or the cold lane is full. Skipped if it is
   * full already.
   *
   * @return how many events were put into the cold lane or had expired
   * @throws RuntimeException if the database does not answer; the caller waits for {@link #failed}
   */
  public int cycle() {
    return engine.claiming(this::claimAllThatFits);
  }

  private int claimAllThatFits() {
    int total = 0;
    lastCycle = System.nanoTime();
    int room = engine.lanes().coldRoom();
    while (room > 0 && !engine.isClosing()) {
      int limit = Math.min(batchSize, room);
      boolean complete = isCompleteScanDue();
      int claimed = claim(limit, complete ? null : hint);
      total += claimed;
      room = engine.lanes().coldRoom();
      if (claimed < limit) {
        hint = null;
        if (complete) {
          break;
        }
      }
      if (room < batchSize && room < (engine.coldCapacity() + 1) / 2) {
        break;
      }
    }
    reapNowAndThen();
    metrics.recordQueueDepths(engine.lanes().hotDepth(), engine.lanes().coldDepth());
    return total;
  }

  /** Notes that a cycle failed; returns how long to wait before the next one. */
  public Duration failed(Throwable error) {
    return engine.outage().failed(OPERATION, error);
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

  /**
   * The hint passes over what transactions that commit late have put behind it, so not for long.
   */
  private boolean isCompleteScanDue() {
    long now = System.nanoTime();
    boolean due = hint == null || now - lastCompleteScan > LONGEST_HINTED_RUN.toNanos();
    if (due) {
      lastCompleteScan = now;
    }
    return due;
  }

  private int claim(int limit, @Nullable Instant after) {
    long before = System.nanoTime();
    hint = null;
    String owner = engine.claimToken();
    Duration lease = engine.lease();
    ClaimRequest request =
        new ClaimRequest(
            owner, lease, limit, engine.lanes().coldBytesFor(limit), after, skipRecent);
    Claimed claimed = connections.call(OPERATION, c -> store.claim(c, request));
    Hold hold = new Hold(owner, engine.deadlineFrom(before));
    int taken = 0;
    for (ClaimedEvent event : claimed.events()) {
      taken += accept(event, hold) ? 1 : 0;
    }
    for (int i = 0; i < claimed.expired(); i++) {
      metrics.incrementDispatchDead();
    }
    LOG.log(Level.DEBUG, "claimed count={0} expired={1}", taken, claimed.expired());
    recordLag(claimed);
    hint = hintBehind(claimed.watermark());
    return taken + claimed.expired();
  }

  /**
   * The slack is a few batches wide at the most: in a dense backlog half a second may hold half of
   * it, and rows that commit later than that are found by the next complete scan.
   */
  private @Nullable Instant hintBehind(@Nullable Instant watermark) {
    Instant before = lastWatermark;
    lastWatermark = watermark;
    if (watermark == null) {
      return null;
    }
    Duration batches =
        before == null
            ? LONGEST_HINT_SLACK
            : Duration.between(before, watermark).abs().multipliedBy(HINT_SLACK_BATCHES);
    boolean dense = batches.compareTo(LONGEST_HINT_SLACK) < 0;
    return watermark.minus(dense ? batches : LONGEST_HINT_SLACK);
  }

  /**
   * Returns false if the event was in flight already, as a store without leases may show it again.
   */
  private boolean accept(ClaimedEvent claimed, Hold hold) {
    OutboxEvent event = claimed.event();
    EventEnvelope envelope;
    try {
      envelope = event.toEnvelope();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "undecodable event={0} cause={1}", event, e.getMessage());
      engine.kill(
          Delivery.unread(event.eventId(), Source.COLD, event.attempts(), event.createdAt(), hold),
          "undecodable: " + e.getMessage());
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
            claimed.leaseExpiries());
    boolean accepted = engine.acceptCold(delivery);
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
    metrics.recordOldestLagMs(lag);
  }

  private void reapNowAndThen() {
    long now = System.nanoTime();
    if (now - lastReap < REAP_PERIOD.toNanos()) {
      return;
    }
    lastReap = now;
    int reaped = connections.call(OPERATION, c -> store.reapExpired(c, engine.lease(), REAP_LIMIT));
    if (reaped > 0) {
      LOG.log(Level.INFO, "expired leases cleared count={0}", reaped);
    }
  }
}
