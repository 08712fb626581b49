package outbox.spi;

/**
 * Receives the engine's counters and gauges. Implementations are thread-safe, cheap and never
 * throw.
 */
public interface MetricsExporter {

  void incrementHotEnqueued();

  void incrementHotDropped();

  void incrementColdEnqueued();

  void incrementDispatchSuccess();

  void incrementDispatchFailure();

  void incrementDispatchDead();

  void recordQueueDepths(int hotDepth, int coldDepth);

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
