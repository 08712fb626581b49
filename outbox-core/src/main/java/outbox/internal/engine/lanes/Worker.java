package outbox.internal.engine.lanes;

import outbox.internal.engine.delivery.Work;

/** One worker: takes an event or a batch, of whichever store, and has it handled. */
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
        Work work = lanes.take();
        goOn = work != null && !work.handle();
      } catch (InterruptedException e) {
        // Meant for a listener that has ended: nothing else interrupts a worker.
      }
    }
  }
}
