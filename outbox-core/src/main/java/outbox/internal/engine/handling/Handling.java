package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Predicate;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.completion.Completer;
import outbox.internal.engine.completion.DeliveryResults;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.internal.engine.handling.DeliveryRunner.Result;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.lease.LeaseGate;
import outbox.model.EventStatus;

/**
 * What happens to one event of a store in the hands of a worker: its lease is made sure of, its
 * listeners run, its outcome is handed over. Thread-safe; called by many workers.
 */
public final class Handling {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private static final String TRANSACTION = "transaction";

  private final LeaseGate gate;
  private final Isolation isolation;
  private final DeliveryRunner runner;
  private final Completer completer;
  private final DeliveryResults results;
  private final DeliveryReports reports;
  private final WorkerLog workerLog;
  private final DatabaseHealth health;
  private final boolean amongMany;

  public Handling(
      LeaseGate gate,
      Isolation isolation,
      DeliveryRunner runner,
      Completer completer,
      DeliveryResults results,
      DeliveryReports reports,
      WorkerLog workerLog,
      DatabaseHealth health,
      boolean amongMany) {
    this.gate = gate;
    this.isolation = isolation;
    this.runner = runner;
    this.completer = completer;
    this.results = results;
    this.reports = reports;
    this.workerLog = workerLog;
    this.health = health;
    this.amongMany = amongMany;
  }

  /** Returns whether the calling thread was given up meanwhile. */
  public boolean handle(Delivery delivery) {
    boolean unused = Thread.interrupted();
    if (amongMany && health.isDown() && gate.asks(delivery)) {
      // A worker must not wait for a database that is down while others have events for it.
      results.dropped(delivery);
      return false;
    }
    if (!passes(delivery, gate::hold)) {
      return false;
    }
    Duration delay = isolation.enter(delivery);
    if (delay != null) {
      completer.submit(delivery, new Outcome.Defer(delay));
      return false;
    }
    boolean replaced = false;
    try {
      replaced = passes(delivery, gate::pass) && run(delivery);
    } finally {
      if (!replaced) {
        isolation.leave();
      }
    }
    return replaced;
  }

  /** Drops the delivery unless the check lets it pass. */
  private boolean passes(Delivery delivery, Predicate<Delivery> check) {
    try {
      if (!check.test(delivery)) {
        drop(delivery);
        return false;
      }
      return true;
    } catch (RuntimeException | Error e) {
      // The row keeps its lease until it expires; then it is claimed again, here or elsewhere.
      results.dropped(delivery);
      health.missed(LeaseGate.OPERATION, e);
      return false;
    }
  }

  /** Returns whether the calling thread was given up meanwhile. */
  private boolean run(Delivery delivery) {
    delivery.begin();
    DeliveryReports.Report report = reports.begin(delivery);
    Result result;
    boolean replaced;
    try {
      result = runner.run(delivery);
    } finally {
      replaced = delivery.run().end();
    }
    report.end(result.outcome());
    if (result.outage() != null) {
      health.missed(TRANSACTION, result.outage());
    }
    settle(delivery, result);
    return replaced;
  }

  private void settle(Delivery delivery, Result result) {
    Outcome outcome = result.outcome();
    if (outcome == null) {
      results.lost(delivery);
    } else if (result.storedAs() != null) {
      completer.stored(delivery, outcome, result.storedAs());
    } else {
      completer.submit(delivery, outcome);
    }
  }

  private void drop(Delivery delivery) {
    EventStatus status = delivery.isLost() ? null : gate.status(delivery);
    if (status == EventStatus.DONE) {
      workerLog.skippedProcessed(delivery);
    }
    if (status == EventStatus.DEAD && !delivery.isLeased() && delivery.isExpired()) {
      // Then the claim by id has ended it instead of leasing it.
      results.expired(delivery);
    } else if (delivery.isLeased()) {
      results.lost(delivery);
    } else {
      LOG.log(Level.DEBUG, "event is not free to be claimed {0}", delivery);
      results.dropped(delivery);
    }
  }
}
