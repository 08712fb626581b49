package outbox.internal.engine.intake;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.intake.ClaimIntake.Taken;
import outbox.internal.engine.lanes.Lanes;
import outbox.internal.guard.QuietMetrics;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.MetricsExporter;

/**
 * Takes due events out of the database into the cold lane, never more than it has room for. Used by
 * one poller; of its claims one runs at a time.
 */
public final class Claimer {
  static final String OPERATION = "claim";
  private static final String LOOK = "look";

  /** Demand that comes in faster is served together: small claims cost as much as large ones. */
  private static final Duration SHORTEST_GAP = Duration.ofMillis(5);

  private final ClaimContext context;
  private final EngineConnections connections;
  private final LeasedEventStore store;
  private final Lanes lanes;
  private final int batchSize;
  private final Duration skipRecent;
  private final MetricsExporter metrics;
  private final ClaimHint hint = new ClaimHint();
  private final ClaimIntake intake;
  private final Reaper reaper;
  private final KeySweeps keySweeps;

  private volatile long lastClaim = System.nanoTime();

  public Claimer(
      ClaimContext context,
      EngineConnections connections,
      int batchSize,
      Duration skipRecent,
      MetricsExporter metrics) {
    this.context = context;
    this.lanes = context.admission().lanes();
    this.connections = connections;
    this.store = context.store();
    this.batchSize = batchSize;
    this.skipRecent = skipRecent;
    this.metrics = QuietMetrics.of(metrics);
    this.intake = new ClaimIntake(context, this.metrics);
    this.reaper = new Reaper(context.label(), context.leases().duration(), connections, store);
    this.keySweeps = new KeySweeps(context.leases().duration(), context.sweepKeys());
  }

  /**
   * Claims until a batch comes back short or the cold lane is full.
   *
   * @return how many events were put into the cold lane or had expired
   */
  int claimAllThatFits() {
    int total = 0;
    context.dueTimes().begin();
    int room = lanes.coldRoom();
    boolean full = true;
    while (full && room > 0 && !context.isClosing()) {
      int limit = Math.min(batchSize, room);
      Batch batch = claimOne(limit, lanes.coldBytesFor(limit), () -> {});
      total += batch.taken();
      room = lanes.coldRoom();
      full = batch.full() && room >= Math.min(batchSize, (lanes.coldCapacity() + 1) / 2);
    }
    reaper.reapIfDue();
    keySweeps.sweepIfDue();
    return total;
  }

  /**
   * One batch, of this size at the most.
   *
   * @param begun runs once there is a connection
   */
  Batch claimOne(int limit, long maxBytes, Runnable begun) {
    return context
        .gate()
        .pass(
            () -> {
              lastClaim = System.nanoTime();
              boolean complete = hint.isCompleteScanDue();
              Batch batch = claim(Math.min(limit, batchSize), maxBytes, hint.start(), begun);
              context.health().succeeded(LOOK); // what a claim can, a look can; it comes later now
              if (!batch.full()) {
                hint.clear();
                reaper.reapIfDue();
                keySweeps.sweepIfDue();
              }
              context.admission().workerLog().summarizeIfDue();
              recordQueueDepths();
              return batch.full() || complete ? batch : new Batch(batch.taken(), true);
            },
            Batch.EMPTY);
  }

  /** Whether a claim is worth its while; costs less than one, and may run beside one. */
  boolean look() {
    boolean due = connections.call(LOOK, store::mayHaveDue);
    reaper.reapIfDue();
    keySweeps.sweepIfDue();
    if (!due) {
      context.admission().workerLog().summarizeIfDue();
      context.recordLag(0);
      recordQueueDepths();
    }
    return due;
  }

  /** Notes that a look failed; returns how long to wait before the next one. */
  Duration lookFailed(Throwable error) {
    return failed(LOOK, error);
  }

  /** When the next claim may be made: demand that comes in faster is served together. */
  long nextAllowed() {
    return lastClaim + SHORTEST_GAP.toNanos();
  }

  /**
   * What one statement got.
   *
   * @param taken how many events were put into the cold lane
   * @param full whether there may be more that are due
   */
  public record Batch(int taken, boolean full) {
    static final Batch EMPTY = new Batch(0, false);
  }

  /** Notes that a claim failed; returns how long to wait before the next one. */
  public Duration failed(Throwable error) {
    return failed(OPERATION, error);
  }

  /** A claim that the shutdown cuts short says nothing about the database. */
  private Duration failed(String operation, Throwable error) {
    return context.isClosing() ? SHORTEST_GAP : context.health().failed(operation, error);
  }

  /** What the store's clock showed at the claim; null if nothing was claimed. */
  private static @Nullable Instant storeTime(Claimed claimed, Duration lease, Instant sent) {
    if (claimed.events().isEmpty()) {
      return null;
    }
    Instant leasedUntil = claimed.events().get(0).leasedUntil();
    return leasedUntil == null ? sent : leasedUntil.minus(lease);
  }

  private static Duration since(long asked) {
    return Duration.ofNanos(System.nanoTime() - asked);
  }

  private void recordQueueDepths() {
    metrics.recordQueueDepths(lanes.hotDepth(), lanes.coldDepth());
  }

  private Batch claim(int limit, long maxBytes, @Nullable Instant after, Runnable begun) {
    hint.clear();
    String owner = context.leases().claimToken();
    Duration lease = context.leases().duration();
    ClaimRequest request = new ClaimRequest(owner, lease, limit, maxBytes, after, skipRecent);
    Answer answer =
        connections.call(
            OPERATION,
            c -> {
              begun.run();
              long asked = System.nanoTime();
              Instant sent = Instant.now();
              Claimed claimed = store.claim(c, request);
              metrics.recordClaim(claimed.events().size(), since(asked));
              return new Answer(asked, sent, claimed);
            });
    Claimed claimed = answer.claimed;
    context.dueTimes().end(storeTime(claimed, lease, answer.sent));
    Hold hold = new Hold(owner, context.leases().deadlineFrom(answer.asked));
    Taken taken = intake.take(claimed, hold, answer.asked);
    hint.moveBehind(claimed.watermark());
    int found = claimed.events().size() + claimed.expired();
    int got = taken.events() + claimed.expired();
    // A store without leases shows what is in flight over and over.
    return new Batch(got, got > 0 && (found >= limit || taken.bytes() >= maxBytes));
  }

  /** What was claimed, and when it was asked for: a wait for the connection does not count. */
  private record Answer(long asked, Instant sent, Claimed claimed) {}
}
