package outbox.dispatch;

/** One worker: takes an event, of whichever station, and has it handled. */
final class Worker implements Runnable {
  private final Lanes lanes;
  private final Brake brake;

  Worker(Lanes lanes, Brake brake) {
    this.lanes = lanes;
    this.brake = brake;
  }

  /** Runs until the lanes are closed and empty, or until this thread was replaced. */
  @Override
  public void run() {
    boolean goOn = true;
    while (goOn) {
      try {
        brake.awaitRoom();
        Delivery delivery = lanes.take();
        goOn = delivery != null && !delivery.station().handling().handle(delivery);
      } catch (InterruptedException e) {
        // Meant for a listener that has ended: nothing else interrupts a worker.
      }
    }
  }
}
