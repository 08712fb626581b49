package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.dispatch.DeliveryRunner.Result;

/**
 * One worker: takes an event, makes sure of its lease, runs its listeners, hands the outcome over.
 */
final class Worker implements Runnable {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

  private final Lanes lanes;
  private final CompletionQueue backlog;
  private final LeaseGate gate;
  private final DeliveryRunner runner;
  private final Completer completer;
  private final Settlements settlements;
  private final Outage outage;

  Worker(
      Lanes lanes,
      CompletionQueue backlog,
      LeaseGate gate,
      DeliveryRunner runner,
      Completer completer,
      Settlements settlements,
      Outage outage) {
    this.lanes = lanes;
    this.backlog = backlog;
    this.gate = gate;
    this.runner = runner;
    this.completer = completer;
    this.settlements = settlements;
    this.outage = outage;
  }

  /** Runs until the lanes are closed and empty, or until this thread was replaced. */
  @Override
  public void run() {
    boolean goOn = true;
    while (goOn) {
      try {
        backlog.awaitRoom();
        Delivery delivery = lanes.take();
        goOn = delivery != null && !process(delivery);
      } catch (InterruptedException e) {
        // Meant for a listener that has ended: nobody else interrupts a worker.
      }
    }
  }

  /** Returns whether this thread was given up meanwhile. */
  private boolean process(Delivery delivery) {
    boolean unused = Thread.interrupted();
    try {
      if (!gate.pass(delivery)) {
        drop(delivery);
        return false;
      }
    } catch (RuntimeException | Error e) {
      // The row keeps its lease until it runs out; then it is claimed again, here or elsewhere.
      settlements.dropped(delivery);
      outage.failed(LeaseGate.OPERATION, e);
      return false;
    }
    delivery.begin();
    Result result;
    boolean replaced;
    try {
      result = runner.run(delivery);
    } finally {
      replaced = delivery.end();
    }
    settle(delivery, result);
    return replaced;
  }

  private void settle(Delivery delivery, Result result) {
    Outcome outcome = result.outcome();
    if (outcome == null) {
      settlements.lost(delivery);
    } else if (result.storedAs() != null) {
      completer.stored(delivery, outcome, result.storedAs());
    } else {
      completer.submit(delivery, outcome);
    }
  }

  private void drop(Delivery delivery) {
    if (delivery.isLeased()) {
      settlements.lost(delivery);
    } else {
      LOG.log(Level.DEBUG, "event is not free to be claimed {0}", delivery);
      settlements.dropped(delivery);
    }
  }
}
