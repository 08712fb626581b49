package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.DeferException;
import outbox.internal.engine.common.FailureTrace;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.registry.NamedListener;
import outbox.spi.MetricsExporter;

/** What becomes of a listener that threw, and who is told of it. Thread-safe. */
final class ListenerFailures {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final RetryRules retries;
  private final WorkerLog workerLog;
  private final MetricsExporter metrics;

  ListenerFailures(RetryRules retries, WorkerLog workerLog, MetricsExporter metrics) {
    this.retries = retries;
    this.workerLog = workerLog;
    this.metrics = metrics;
  }

  /**
   * What becomes of a listener that threw.
   *
   * @param quiet its failure is told elsewhere, such as once for all events of a lost connection
   */
  Outcome outcomeOf(
      Delivery delivery, Attempt attempt, NamedListener listener, Throwable error, boolean quiet) {
    if (error instanceof DeferException defer) {
      LOG.log(
          Level.DEBUG,
          () ->
              "deferred by its listener "
                  + delivery
                  + attempt.logged(listener)
                  + " for="
                  + defer.delay());
      return new Outcome.Defer(defer.delay());
    }
    if (delivery.isLost() || delivery.isCutShort()) {
      cancelled(delivery, error);
      return Outcome.RELEASE;
    }
    if (quiet) {
      LOG.log(Level.DEBUG, () -> "listener failed " + delivery + attempt.logged(listener));
    } else {
      log(delivery + attempt.logged(listener), error);
    }
    return retries.outcomeOf(delivery, error);
  }

  /** What becomes of an event for which no listener could be asked. */
  Outcome outcomeOf(Delivery delivery, Throwable error) {
    if (delivery.isLost() || delivery.isCutShort()) {
      cancelled(delivery, error);
      return Outcome.RELEASE;
    }
    log(delivery.toString(), error);
    failed(delivery);
    return retries.outcomeOf(delivery, error);
  }

  /** What a listener throws after it was told to stop is not its fault. */
  private static void cancelled(Delivery delivery, Throwable error) {
    LOG.log(
        Level.DEBUG,
        () -> "listener cancelled " + delivery + " with=" + error.getClass().getName());
  }

  /**
   * Logs what a listener threw.
   *
   * @param what names the event and the listener
   */
  void log(String what, Throwable error) {
    LOG.log(Level.ERROR, "listener failed " + what, FailureTrace.of(error));
  }

  /** Counts a failed delivery, however many of its listeners failed. */
  void failed(Delivery delivery) {
    if (!delivery.isInternal()) {
      metrics.incrementDispatchFailure();
    }
    workerLog.failed(delivery, retries.maxAttempts(delivery.eventType()));
  }
}
