package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import outbox.EventEnvelope;
import outbox.internal.batch.MessageBatch;

/** A batch of events as a handler of the inbox sees it. Thread-safe. */
final class MessagesOfBatch implements InboxBatch {
  private final MessageBatch batch;
  private final List<InboxMessage> messages;
  private final Map<InboxKey, EventEnvelope> events = new HashMap<>();

  MessagesOfBatch(MessageBatch batch) {
    this.batch = batch;
    this.messages = batch.messages().stream().map(InboxMessage::of).toList();
    for (int i = 0; i < messages.size(); i++) {
      events.put(messages.get(i).key(), batch.events().get(i));
    }
  }

  @Override
  public List<InboxMessage> messages() {
    return messages;
  }

  private EventEnvelope event(InboxMessage message) {
    EventEnvelope event = events.get(requireNonNull(message, "message").key());
    if (event == null) {
      throw new IllegalArgumentException(
          "message (" + message.key() + ") must be one of this batch");
    }
    return event;
  }

  @Override
  public void done(InboxMessage message) {
    batch.done(event(message));
  }

  @Override
  public void failed(InboxMessage message, Throwable cause) {
    batch.failed(event(message), cause);
  }

  @Override
  public void defer(InboxMessage message, Duration delay) {
    batch.defer(event(message), delay);
  }

  @Override
  public boolean isCancelled() {
    return batch.isCancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    batch.onCancel(action);
  }

  @Override
  public Duration leaseRemaining() {
    return batch.leaseRemaining();
  }

  @Override
  public boolean renewLease() {
    return batch.renewLease();
  }
}
