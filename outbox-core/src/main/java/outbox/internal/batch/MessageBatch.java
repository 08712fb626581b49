package outbox.internal.batch;

import java.util.List;
import outbox.EventBatch;
import outbox.OutboxMessage;

/** A batch as the engine hands it out: the same events as messages, too. */
public interface MessageBatch extends EventBatch {

  /** The messages of {@link #events}, in the same order. */
  List<OutboxMessage> messages();
}
