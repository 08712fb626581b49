package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.completion.Completer;
import outbox.internal.engine.completion.DeliveryResults;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.DeliveryBatch;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Run;
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
  private final BatchRunner batches;
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
      BatchRunner batches,
      Completer completer,
      DeliveryResults results,
      DeliveryReports reports,
      WorkerLog workerLog,
      DatabaseHealth health,
      boolean amongMany) {
    this.gate = gate;
    this.isolation = isolation;
    this.runner = runner;
    this.batches = batches;
    this.completer = completer;
    this.results = results;
    this.reports = reports;
    this.workerLog = workerLog;
    this.health = health;
    this.amongMany = amongMany;
  }

  /** Returns whether the calling thread was given up meanwhile. */
  public boolean handle(Delivery delivery) {
    try {
      return handled(delivery);
    } catch (RuntimeException | Error e) {
      // Nothing that is meant to throw: the row is not to be leased for as long as this process is.
      results.dropped(delivery);
      throw e;
    }
  }

  private boolean handled(Delivery delivery) {
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

  /**
   * Handles a batch; a suspect of it runs before the others and alone.
   *
   * @return whether the calling thread was given up meanwhile
   */
  public boolean handle(DeliveryBatch batch) {
    try {
      return handled(batch);
    } catch (RuntimeException | Error e) {
      batch.deliveries().stream()
          .filter(delivery -> delivery.outcome() == null)
          .forEach(results::dropped);
      throw e;
    }
  }

  private boolean handled(DeliveryBatch batch) {
    boolean unused = Thread.interrupted();
    List<Delivery> together = new ArrayList<>(batch.size());
    boolean replaced = false;
    for (Delivery delivery : batch.deliveries()) {
      if (amongMany && health.isDown() && gate.asks(delivery)) {
        results.dropped(delivery);
      } else if (passes(delivery, gate::hold)) {
        together.add(delivery);
      }
    }
    for (Delivery suspect : together.stream().filter(Delivery::isSuspect).toList()) {
      together.remove(suspect);
      replaced |= handle(suspect);
    }
    return (!together.isEmpty() && handleTogether(batch.run(), together)) || replaced;
  }

  private boolean handleTogether(Run run, List<Delivery> deliveries) {
    isolation.enterBatch();
    boolean replaced = false;
    try {
      prepare(deliveries);
      List<Delivery> passed =
          deliveries.stream().filter(delivery -> passes(delivery, gate::pass)).toList();
      replaced = !passed.isEmpty() && run(run, passed);
    } finally {
      if (!replaced) {
        isolation.leave();
      }
    }
    return replaced;
  }

  /** Saves statements; what fails here fails again for each of them. */
  private void prepare(List<Delivery> deliveries) {
    try {
      gate.prepare(deliveries);
    } catch (RuntimeException e) {
      health.missed(LeaseGate.OPERATION, e);
    }
  }

  private boolean run(Run run, List<Delivery> deliveries) {
    run.begin();
    deliveries.forEach(delivery -> delivery.beginIn(run));
    List<DeliveryReports.Report> begun = deliveries.stream().map(reports::begin).toList();
    List<Member> members;
    boolean replaced;
    try {
      members = batches.run(run, deliveries);
    } finally {
      deliveries.forEach(delivery -> delivery.run().end());
      replaced = run.end();
    }
    Throwable outage = null;
    for (int i = 0; i < members.size(); i++) {
      Result result = members.get(i).result();
      begun.get(i).end(result.outcome());
      outage = outage == null ? result.outage() : outage;
      settle(deliveries.get(i), result);
    }
    if (outage != null) {
      health.missed(TRANSACTION, outage);
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
