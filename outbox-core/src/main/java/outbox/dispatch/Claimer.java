package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.ClaimIntake.Taken;
import outbox.dispatch.Delivery.Hold;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.MetricsExporter;

/**
 * Takes due events out of the database into the cold lane, never more than it has room for. Used by
 * one poller at a time; only {@link #wake} may be called by others.
 */
public final class Claimer {
  static final String OPERATION = "claim";
  private static final String LOOK = "look";

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
  private final ClaimIntake intake;
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
    this.intake = new ClaimIntake(station, this.metrics);
    this.reaper = new Reaper(station, connections, store);
    station.demand().onWake(demand::wake);
    station.dueTimes().onEarlier(demand::recompute);
  }

  /**
   * One cycle: claims until a batch comes back short or the cold lane is full. Skipped if it is
   * full already.
   *
   * @return how many events were put into the cold lane or had expired
   * @throws RuntimeException if the database does not answer; the caller then calls {@link
   *     #awaitRetry}
   */
  public int cycle() {
    return station.claims().pass(this::claimAllThatFits, 0);
  }

  private int claimAllThatFits() {
    int total = 0;
    lastCycle = System.nanoTime();
    station.dueTimes().begin();
    int room = station.lanes().coldRoom();
    while (room > 0 && !station.isClosing()) {
      int limit = Math.min(batchSize, room);
      boolean complete = hint.isCompleteScanDue();
      int claimed =
          claim(limit, station.lanes().coldBytesFor(limit), hint.start(), () -> {}).taken();
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
    recordQueueDepths();
    return total;
  }

  /**
   * One batch, for a roster that decides when the next is due.
   *
   * @param begun runs once there is a connection
   */
  Batch claimOne(int limit, long maxBytes, Runnable begun) {
    return station
        .claims()
        .pass(
            () -> {
              lastCycle = System.nanoTime();
              boolean complete = hint.isCompleteScanDue();
              Batch batch = claim(limit, maxBytes, hint.start(), begun);
              station.outage().succeeded(LOOK); // what a claim can, a look can; it comes later now
              if (!batch.full()) {
                hint.clear();
                reaper.reapIfDue();
              }
              station.workerLog().summarizeIfDue();
              recordQueueDepths();
              return batch.full() || complete ? batch : new Batch(batch.taken(), true);
            },
            Batch.EMPTY);
  }

  /** Whether a claim is worth its while; costs less than one, and may run beside one. */
  boolean look() {
    boolean due = connections.call(LOOK, store::mayHaveDue);
    if (!due) {
      station.workerLog().summarizeIfDue();
      station.recordLag(0);
      recordQueueDepths();
    }
    return due || reaper.isDue();
  }

  /** Notes that a look failed; returns how long to wait before the next one. */
  Duration lookFailed(Throwable error) {
    return failed(LOOK, error);
  }

  /** When the next claim may be made: demand that comes in faster is served together. */
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

  /** Notes that a claim failed; returns how long to wait before the next one. */
  Duration failed(Throwable error) {
    return failed(OPERATION, error);
  }

  /** A claim that the shutdown cuts short says nothing about the database. */
  private Duration failed(String operation, Throwable error) {
    return station.isClosing() ? SHORTEST_GAP : station.outage().failed(operation, error);
  }

  /** Ends a wait in {@link #awaitDemand} and the wait for a connection; claims nothing more. */
  public void stop() {
    connections.stop();
    wake();
  }

  /**
   * Waits until events are left in the database, one that this process has stored is due, the cold
   * lane has room again, or the time is over.
   */
  public void awaitDemand(Duration limit) throws InterruptedException {
    await(limit, this::nanosToNextDue);
  }

  private void await(Duration limit, LongSupplier nanosToOther) throws InterruptedException {
    demand.await(limit, nanosToOther);
    long rest = lastCycle + SHORTEST_GAP.toNanos() - System.nanoTime();
    if (rest > 0) {
      LockSupport.parkNanos(rest);
    }
  }

  /**
   * Notes that a cycle or a wait failed, and waits before the next cycle: until the pause of an
   * outage is over or {@link #wake} ends it.
   */
  public void awaitRetry(Throwable error) throws InterruptedException {
    await(failed(OPERATION, error), () -> Long.MAX_VALUE);
  }

  private long nanosToNextDue() {
    return station.isClosing() ? Long.MAX_VALUE : station.dueTimes().nanosToNext();
  }

  /** Ends a wait in {@link #awaitDemand}. */
  public void wake() {
    demand.wake();
  }

  /** What the store's clock showed at the claim; null if nothing was claimed. */
  private static @Nullable Instant storeTime(Claimed claimed, Duration lease, Instant sent) {
    if (claimed.events().isEmpty()) {
      return null;
    }
    Instant leasedUntil = claimed.events().get(0).leasedUntil();
    return leasedUntil == null ? sent : leasedUntil.minus(lease);
  }

  private void recordQueueDepths() {
    metrics.recordQueueDepths(station.lanes().hotDepth(), station.lanes().coldDepth());
  }

  private Batch claim(int limit, long maxBytes, @Nullable Instant after, Runnable begun) {
    hint.clear();
    String owner = station.claimToken();
    Duration lease = station.lease();
    ClaimRequest request = new ClaimRequest(owner, lease, limit, maxBytes, after, skipRecent);
    Answer answer =
        connections.call(
            OPERATION,
            c -> {
              begun.run();
              long asked = System.nanoTime();
              Instant sent = Instant.now();
              return new Answer(asked, sent, store.claim(c, request));
            });
    Claimed claimed = answer.claimed;
    station.dueTimes().end(storeTime(claimed, lease, answer.sent));
    Hold hold = new Hold(owner, station.deadlineFrom(answer.asked));
    Taken taken = intake.take(claimed, hold, answer.asked);
    hint.moveBehind(claimed.watermark());
    int found = claimed.events().size() + claimed.expired();
    return new Batch(
        taken.events() + claimed.expired(), found >= limit || taken.bytes() >= maxBytes);
  }

  /** What was claimed, and when it was asked for: a wait for the connection does not count. */
  private record Answer(long asked, Instant sent, Claimed claimed) {}
}
