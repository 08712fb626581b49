package outbox.internal.engine.lanes;

import outbox.internal.engine.delivery.Delivery;

/** One worker: takes an event, of whichever store, and has it handled. */
public final class Worker implements Runnable {
  private final Lanes lanes;
  private final Backpressure backpressure;

  public Worker(Lanes lanes, Backpressure backpressure) {
    this.lanes = lanes;
    this.backpressure = backpressure;
  }

  /** Runs until the lanes are closed and empty, or until this thread was replaced. */
  @Override
  public void run() {
    boolean goOn = true;
    while (goOn) {
      try {
        backpressure.awaitRoom();
        Delivery delivery = lanes.take();
        goOn = delivery != null && !delivery.origin().handle(delivery);
      } catch (InterruptedException e) {
        // Meant for a listener that has ended: nothing else interrupts a worker.
      }
    }
  }
}
