package outbox.spi;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeasedEventStore.Lease;

/**
 * The way of an event from the transaction that stores it into the memory of this process, under a
 * lease that its row is inserted with. The engine implements it for each store that it serves.
 * Thread-safe; never blocks on the engine.
 */
public interface HotPath {

  /**
   * Decides how an event that is about to be inserted will be delivered. Insert the envelope of the
   * result with the {@link Prepared#lease lease} of the result, and after the commit pass the
   * result to {@link #handOver}.
   *
   * @param mayVanish whether a savepoint may remove the row unnoticed before the commit
   */
  Prepared prepareHot(EventEnvelope event, boolean mayVanish);

  /** As {@link #prepareHot(EventEnvelope, boolean)} for events that are inserted together. */
  List<Prepared> prepareHot(Collection<EventEnvelope> events, boolean mayVanish);

  /**
   * Says that the store has put the event behind another one of its ordering key. Pass the result
   * to {@link #handOver} after the commit instead.
   */
  Prepared behind(Prepared event);

  /**
   * Queues an event for delivery before all cold ones, after its commit.
   *
   * @return false if there was no room; the event then stays in the database for the poller
   */
  boolean enqueueHot(Prepared event);

  /**
   * As {@link #enqueueHot}, for an event whose transaction may have been rolled back although its
   * commit returned normally: delivers the event only if the database has its row. A store without
   * leases cannot be asked; the event is left to the poller then.
   *
   * @return false if there was no room; the event then stays in the database for the poller
   */
  boolean confirmHot(Prepared event);

  /**
   * Hands a prepared event over after its commit, and counts what became of it.
   *
   * @param inDoubt whether its transaction may have been rolled back although its commit returned
   */
  default void handOver(Prepared event, boolean inDoubt, MetricsExporter metrics) {
    boolean taken = inDoubt ? confirmHot(event) : enqueueHot(event);
    if (!event.isForMemory()) {
      return;
    }
    if (taken) {
      metrics.incrementHotEnqueued();
    } else {
      metrics.incrementHotDropped();
    }
  }

  /** An event about to be inserted, with the decision how it will reach a worker. Immutable. */
  interface Prepared {

    /** The event as it is to be stored. */
    EventEnvelope envelope();

    /** The lease that the row is inserted with; null for a row that any node may claim. */
    @Nullable Lease lease();

    /** Whether the event was meant for the memory of this process, be it that there is no room. */
    boolean isForMemory();
  }
}
