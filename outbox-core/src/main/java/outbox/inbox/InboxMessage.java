package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxMessage;
import outbox.internal.text.LogText;
import outbox.model.DeadLetter;
import outbox.model.InboxEntry;
import outbox.model.OutboxEvent;

/**
 * A message of the inbox, as a handler gets it.
 *
 * @param topic null only in one that was seen, but not enqueued
 * @param payload null only in one that was seen, but not enqueued, or whose payload was cleaned up
 * @param hash what the sender's side gave; null if none
 * @param attempt failed deliveries so far
 * @param contentVersion 1, and one more for each enqueue that changed topic or payload
 * @param firstSeen when the key was first stored, by the database's clock
 * @param lastSeen when it was last delivered, by the database's clock
 * @param dueTime not to be handled before; null for at once
 * @param lastError why the last delivery failed; null if none has
 * @param headers what came with it
 */
@SuppressWarnings("ArrayRecordComponent")
public record InboxMessage(
    InboxKey key,
    InboxStatus status,
    @Nullable String topic,
    @Nullable String payload,
    byte @Nullable [] hash,
    int attempt,
    int contentVersion,
    Instant firstSeen,
    Instant lastSeen,
    @Nullable Instant dueTime,
    @Nullable String lastError,
    Map<String, String> headers) {

  /** A message without headers. */
  public InboxMessage(
      InboxKey key,
      InboxStatus status,
      @Nullable String topic,
      @Nullable String payload,
      byte @Nullable [] hash,
      int attempt,
      int contentVersion,
      Instant firstSeen,
      Instant lastSeen,
      @Nullable Instant dueTime,
      @Nullable String lastError) {
    this(
        key,
        status,
        topic,
        payload,
        hash,
        attempt,
        contentVersion,
        firstSeen,
        lastSeen,
        dueTime,
        lastError,
        Map.of());
  }

  /** The message that the engine or the work queue hands out. */
  static InboxMessage of(OutboxMessage message) {
    return of(
        entry(message),
        InboxStatus.PROCESSING,
        message.topic(),
        message.payload(),
        message.retryCount(),
        message.createdAt(),
        message.dueTime(),
        message.lastError(),
        message.headers());
  }

  /** The message that a dead letter of an inbox is. */
  public static InboxMessage of(DeadLetter letter) {
    return of(letter.event(), InboxStatus.DEAD, letter.error());
  }

  /** What names it in a log line: its key, as its sender knows it, and its id in the table. */
  static String nameOf(OutboxMessage message) {
    InboxEntry entry = entry(message);
    return "source="
        + LogText.of(entry.source())
        + " messageId="
        + LogText.of(entry.messageId())
        + " id="
        + message.id();
  }

  private static InboxEntry entry(OutboxMessage message) {
    return requireNonNull(message.envelope().inboxEntry(), "inboxEntry");
  }

  /**
   * The message of an event whose store gave it an {@link OutboxEvent#inboxEntry}; for those who
   * make a store. Headers of the sender that cannot be read are left out.
   */
  public static InboxMessage of(OutboxEvent event, InboxStatus status, @Nullable String lastError) {
    String topic = event.eventType();
    return of(
        requireNonNull(event.inboxEntry(), "inboxEntry"),
        status,
        topic.isEmpty() ? null : topic,
        event.payloadJson(),
        event.attempts(),
        event.createdAt(),
        event.dueAt(),
        lastError,
        readable(event));
  }

  /** A message that is about to be stored as the engine will get it. */
  static EventEnvelope envelope(String eventId, InboundMessage message) {
    InboxKey key = message.key();
    return EventEnvelope.builder(message.topic())
        .eventId(eventId)
        .headers(message.headers())
        .inboxEntry(new InboxEntry(key.source(), key.messageId(), message.hash(), 1, null))
        .dueAt(message.dueTime())
        .maxPayloadBytes(Integer.MAX_VALUE)
        .payloadJson(message.payload())
        .build();
  }

  private static Map<String, String> readable(OutboxEvent event) {
    try {
      return event.headers();
    } catch (IllegalArgumentException e) {
      return Map.of();
    }
  }

  private static InboxMessage of(
      InboxEntry entry,
      InboxStatus status,
      @Nullable String topic,
      @Nullable String payload,
      int attempt,
      Instant firstSeen,
      @Nullable Instant dueTime,
      @Nullable String lastError,
      Map<String, String> headers) {
    return new InboxMessage(
        new InboxKey(entry.source(), entry.messageId()),
        status,
        topic,
        payload,
        entry.hash(),
        attempt,
        entry.contentVersion(),
        firstSeen,
        lastSeen(firstSeen, entry.seenAgain()),
        dueTime,
        lastError,
        headers);
  }

  /**
   * When a message was last delivered; for those who make a store. Of two calls that waited for a
   * third one, the later may have been the first to store it.
   */
  public static Instant lastSeen(Instant firstSeen, @Nullable Instant seenAgain) {
    return seenAgain == null || seenAgain.isBefore(firstSeen) ? firstSeen : seenAgain;
  }

  /** Returns the sender of the message. */
  public String source() {
    return key.source();
  }

  /** Returns the id that the sender gave the message. */
  public String messageId() {
    return key.messageId();
  }

  /**
   * The topic.
   *
   * @throws IllegalStateException if the message was seen, but not enqueued
   */
  @Override
  public String topic() {
    return present("topic", topic);
  }

  /**
   * The payload.
   *
   * @throws IllegalStateException if the message was not enqueued, or its payload was cleaned up
   */
  @Override
  public String payload() {
    return present("payload", payload);
  }

  /** Whether {@link #payload} has something to return. */
  public boolean hasPayload() {
    return payload != null;
  }

  private String present(String field, @Nullable String value) {
    if (value == null) {
      throw new IllegalStateException(
          "message " + key + " is " + status + " and has no " + field + " now");
    }
    return value;
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "InboxMessage[" + key + " " + status + " attempt=" + attempt + "]";
  }
}
