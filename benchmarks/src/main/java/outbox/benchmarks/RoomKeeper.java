package outbox.benchmarks;

import java.util.concurrent.Semaphore;
import outbox.spi.MetricsExporter;

/** Lets a publisher go on for every event that is completed. */
final class RoomKeeper implements MetricsExporter {
  private final Semaphore room;

  RoomKeeper(Semaphore room) {
    this.room = room;
  }

  @Override
  public void incrementDispatchSuccess() {
    room.release();
  }

  @Override
  public void incrementHotEnqueued() {}

  @Override
  public void incrementHotDropped() {}

  @Override
  public void incrementColdEnqueued() {}

  @Override
  public void incrementDispatchFailure() {}

  @Override
  public void incrementDispatchDead() {}

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {}

  @Override
  public void recordOldestLagMs(long lagMs) {}
}
