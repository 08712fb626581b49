package outbox.dispatch;

import java.util.Collection;
import java.util.List;
import outbox.EventEnvelope;
import outbox.spi.MetricsExporter;

/**
 * The way of an event from the transaction that stores it into the memory of this process, under a
 * lease that its row is inserted with. Thread-safe; never blocks on the engine.
 */
public interface HotPath {

  /**
   * Decides how an event that is about to be inserted will be delivered. Insert its row with the
   * {@link QueuedEvent#lease lease} of the result, and after the commit pass the result to {@link
   * #enqueueHot}.
   *
   * @param mayVanish whether a savepoint may remove the row unnoticed before the commit
   */
  QueuedEvent prepareHot(EventEnvelope event, boolean mayVanish);

  /** As {@link #prepareHot(EventEnvelope, boolean)} for events that are inserted together. */
  List<QueuedEvent> prepareHot(Collection<EventEnvelope> events, boolean mayVanish);

  /**
   * Queues an event for delivery before all cold ones.
   *
   * @return false if there was no room; the event then stays in the database for the poller
   * @throws IllegalStateException if the event was not prepared and the dispatcher is closed
   */
  boolean enqueueHot(QueuedEvent event);

  /**
   * As {@link #enqueueHot}, for an event whose transaction may have been rolled back although its
   * commit returned normally: delivers the event only if the database has its row. A store without
   * leases cannot be asked; the event is left to the poller then.
   *
   * @param event made by {@link #prepareHot}
   * @return false if there was no room; the event then stays in the database for the poller
   */
  boolean confirmHot(QueuedEvent event);

  /**
   * Hands a prepared event over after its commit, and counts what became of it.
   *
   * @param inDoubt whether its transaction may have been rolled back although its commit returned
   */
  default void handOver(QueuedEvent event, boolean inDoubt, MetricsExporter metrics) {
    boolean taken = inDoubt ? confirmHot(event) : enqueueHot(event);
    if (event.source() == QueuedEvent.Source.COLD) {
      return;
    }
    if (taken) {
      metrics.incrementHotEnqueued();
    } else {
      metrics.incrementHotDropped();
    }
  }
}
