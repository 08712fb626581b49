package outbox.jdbc.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.model.InboxBook.Kept;

/**
 * An inbox and its work queue: every operation, and a clock that stands still. All messages are of
 * one source, so that their message ids are their keys.
 */
interface InboxBook extends Machine<Kept> {
  Instant tick(Duration by);

  /**
   * Answers as a {@link outbox.inbox.ReceiveResult} does, in words.
   *
   * @param given whether in a transaction of the caller's
   */
  String receive(String key, Content content, boolean given);

  String enqueue(String key, Content content, boolean given);

  boolean alreadyProcessed(String key, @Nullable String hash, boolean given);

  boolean markProcessing(String key);

  boolean markProcessed(String key, boolean given);

  boolean markDead(String key);

  int replay(Collection<String> keys);

  /** Returns what is known of each that was handed out, in order. */
  List<String> claim(String owner, Duration lease, int batchSize);

  List<String> ack(String owner, Collection<Held> messages);

  List<String> abandon(
      String owner, Collection<Held> messages, @Nullable String error, @Nullable Duration delay);

  List<String> fail(String owner, Collection<Held> messages, String error);

  int reapExpired();

  /** What is sent; the due time is seen from the moment of the operation. */
  record Content(String topic, String payload, @Nullable String hash, @Nullable Duration due) {}

  /** A message as a worker knows it. */
  record Held(String key, int contentVersion) {}

  /**
   * What is stored of a message.
   *
   * @param event as the work queue sees it
   * @param message what else is known of it
   */
  record Kept(Row event, String message) {}
}
