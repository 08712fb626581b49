package outbox.internal.engine.completion;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.InFlight;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Outcome.Dead;
import outbox.internal.engine.delivery.Outcome.Defer;
import outbox.internal.engine.delivery.Outcome.Done;
import outbox.internal.engine.delivery.Outcome.Retry;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.model.DeadLetter;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;

/** The end of a delivery: it leaves the in-flight set, is counted and, if it died, logged. */
public final class DeliveryResults {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final InFlight inFlight;
  private final MetricsExporter metrics;
  private final WorkerLog workerLog;
  private final Runnable onRelease;
  private final Consumer<Duration> onPutOff;
  private final Consumer<DeadLetter> onDead;

  public DeliveryResults(
      InFlight inFlight,
      MetricsExporter metrics,
      WorkerLog workerLog,
      Runnable onRelease,
      Consumer<Duration> onPutOff,
      Consumer<DeadLetter> onDead) {
    this.inFlight = inFlight;
    this.metrics = metrics;
    this.workerLog = workerLog;
    this.onRelease = onRelease;
    this.onPutOff = onPutOff;
    this.onDead = onDead;
  }

  /** Whether this very delivery, not a later one of the same event, is in flight. */
  boolean isInFlight(Delivery delivery) {
    return inFlight.contains(delivery);
  }

  /** So many outcomes were stored together in this time. */
  void flushed(int outcomes, Duration took) {
    if (outcomes > 0) {
      metrics.recordFlush(outcomes, took);
    }
  }

  /** The database has the outcome. */
  void confirmed(Delivery delivery) {
    inFlight.remove(delivery);
    Outcome outcome = delivery.outcome();
    if (outcome instanceof Done) {
      if (!delivery.isInternal()) {
        metrics.incrementDispatchSuccess();
      }
      workerLog.succeeded(delivery);
    } else if (outcome instanceof Dead dead) {
      metrics.incrementDispatchDead();
      workerLog.died();
      logDeath(delivery.toString(), dead.reason());
      onDead.accept(delivery.letter(dead));
    } else if (outcome instanceof Retry retry) {
      onPutOff.accept(retry.delay());
    } else if (outcome instanceof Defer defer && !defer.leftToOthers()) {
      putOff(defer.delay());
    }
  }

  /**
   * Logs the end of an event that is dead.
   *
   * @param event what the log calls it
   */
  public static void logDeath(String event, String reason) {
    LOG.log(Level.ERROR, "event dead {0} reason={1}", event, reason);
  }

  private void putOff(Duration delay) {
    if (delay.isZero()) {
      onRelease.run();
    } else {
      onPutOff.accept(delay);
    }
  }

  /** The store has ended it, in the place of a claim. */
  public void expired(Delivery delivery) {
    inFlight.remove(delivery);
    metrics.incrementDispatchDead();
    workerLog.died();
    Dead dead = new Dead(LeasedEventStore.EXPIRED, LeasedEventStore.EXPIRED);
    delivery.handled(dead);
    logDeath(delivery.toString(), dead.reason());
    onDead.accept(delivery.letter(dead));
  }

  /** Another worker has the row and handles it. */
  public void lost(Delivery delivery) {
    inFlight.remove(delivery);
    metrics.incrementLeaseLost();
    LOG.log(
        Level.INFO,
        "lease lost {0}; another node has the event, or it is gone; see leaseDuration",
        delivery);
  }

  /** This copy will not run; the row is as it was and is claimed again once its lease is over. */
  public void dropped(Delivery delivery) {
    inFlight.remove(delivery);
    LOG.log(Level.DEBUG, "copy dropped {0}", delivery);
  }
}
