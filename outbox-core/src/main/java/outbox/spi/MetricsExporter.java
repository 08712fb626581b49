package outbox.spi;

import java.time.Duration;

/**
 * Receives the engine's counters and gauges. Implementations are thread-safe, cheap and never
 * throw.
 */
public interface MetricsExporter {

  /** Counts an event that went to the hot lane after its commit. */
  void incrementHotEnqueued();

  /** Counts an event that found no room in the hot lane and waits in the database. */
  void incrementHotDropped();

  /** Counts an event that a poller put into the cold lane. */
  void incrementColdEnqueued();

  /** Counts a delivery that ended DONE. */
  void incrementDispatchSuccess();

  /** Counts a delivery that failed and will be tried again. */
  void incrementDispatchFailure();

  /** Counts an event that became DEAD. */
  void incrementDispatchDead();

  /** Records how many events wait in the hot and in the cold lane. */
  void recordQueueDepths(int hotDepth, int coldDepth);

  /** Records the age in milliseconds of the oldest event of a claim. */
  void recordOldestLagMs(long lagMs);

  /** An event whose lease was taken by another node before its outcome could be stored. */
  default void incrementLeaseLost() {}

  /**
   * A database has stopped answering, or answers again: told once each, however often it is tried.
   *
   * @param store the store's identifier; empty if there is only one store
   */
  default void recordOutage(String store, boolean down) {}

  /** The listeners of an event have ended; told by the worker that ran them. */
  default void recordDelivery(DeliveryRecord delivery) {}

  /**
   * The engine has claimed due events.
   *
   * @param events how many the database handed out; 0 if none was due
   * @param took how long the statement and its commit took, without the wait for a connection
   */
  default void recordClaim(int events, Duration took) {}

  /**
   * The engine has stored the outcomes of deliveries.
   *
   * @param events how many outcomes it stored together
   * @param took how long the statements and their commit took, without the wait for a connection
   */
  default void recordFlush(int events, Duration took) {}

  MetricsExporter NOOP = new Noop();

  /** Discards everything. */
  final class Noop implements MetricsExporter {
    private Noop() {}

    @Override
    public void incrementHotEnqueued() {}

    @Override
    public void incrementHotDropped() {}

    @Override
    public void incrementColdEnqueued() {}

    @Override
    public void incrementDispatchSuccess() {}

    @Override
    public void incrementDispatchFailure() {}

    @Override
    public void incrementDispatchDead() {}

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {}

    @Override
    public void recordOldestLagMs(long lagMs) {}
  }
}
