package outbox;

/**
 * Reacts to events of a topic, many at a time: sends them to a broker by one call, writes them to
 * another store by one statement.
 *
 * <p>Delivery is at least once, as for an {@link EventListener}, and calls come from many worker
 * threads at once.
 */
@FunctionalInterface
public interface BatchListener {

  /**
   * Handles a batch. When it returns, each event is done for which it recorded no other outcome.
   * When it throws, each event fails with what it throws unless an outcome was recorded for it
   * before: {@link EventBatch#done} and {@link EventBatch#failed} say so event by event. The retry
   * rules apply to each event; {@link PermanentFailureException}, {@link DeferException} and {@link
   * RetryAfterException} mean what they mean for an {@link EventListener}.
   *
   * <p>An event that has failed comes again in smaller batches, and in the end alone, so that one
   * that makes this listener throw does not end the others.
   */
  void onEvents(EventBatch batch) throws Exception;
}
