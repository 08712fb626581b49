package outbox.inbox;

/**
 * Processes the messages of a topic, many at a time.
 *
 * <p>When it returns, each message is done for which it recorded no other outcome. When it throws,
 * each message fails with what it throws unless an outcome was recorded for it before. A message
 * that has failed comes again in smaller batches, and in the end alone. Messages are handled at
 * least once, as by an {@link InboxHandler}.
 */
@FunctionalInterface
public interface InboxBatchHandler {

  /** Handles a batch; returns when all its messages are done. */
  void handle(InboxBatch batch) throws Exception;
}
