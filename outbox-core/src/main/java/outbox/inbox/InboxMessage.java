package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxMessage;
import outbox.model.DeadLetter;
import outbox.model.OutboxEvent;
import outbox.util.LogText;

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

  static final String OWN = "inbox.";
  private static final String SOURCE = "inbox.source";
  private static final String MESSAGE_ID = "inbox.messageId";
  private static final String HASH = "inbox.hash";
  private static final String VERSION = "inbox.version";
  private static final String LAST_SEEN = "inbox.lastSeen";

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
        message.headers(),
        InboxStatus.PROCESSING,
        message.topic(),
        message.payload(),
        message.retryCount(),
        message.createdAt(),
        message.dueTime(),
        message.lastError());
  }

  /** The message that a dead letter of an inbox is. */
  public static InboxMessage of(DeadLetter letter) {
    return carriedBy(letter.event(), InboxStatus.DEAD, letter.error());
  }

  /** What names it in a log line: its key, as its sender knows it, and its id in the table. */
  static String nameOf(OutboxMessage message) {
    Map<String, String> headers = message.headers();
    return "source="
        + LogText.of(header(headers, SOURCE))
        + " messageId="
        + LogText.of(header(headers, MESSAGE_ID))
        + " id="
        + message.id();
  }

  /**
   * The message of an event whose store gave it the {@link #carried} headers; for those who make a
   * store. Headers of the sender that cannot be read are left out.
   */
  public static InboxMessage carriedBy(
      OutboxEvent event, InboxStatus status, @Nullable String lastError) {
    String topic = event.eventType();
    return of(
        readable(event),
        status,
        topic.isEmpty() ? null : topic,
        event.payloadJson(),
        event.attempts(),
        event.createdAt(),
        event.dueAt(),
        lastError);
  }

  /** A message that is about to be stored as the engine will get it. */
  static EventEnvelope envelope(String eventId, InboundMessage message) {
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    headers.putAll(
        carried(message.key().source(), message.key().messageId(), message.hash(), 1, null));
    return EventEnvelope.builder(message.topic())
        .eventId(eventId)
        .headers(headers)
        .dueAt(message.dueTime())
        .maxPayloadBytes(Integer.MAX_VALUE)
        .payloadJson(message.payload())
        .build();
  }

  private static Map<String, String> readable(OutboxEvent event) {
    try {
      return event.headers();
    } catch (IllegalArgumentException e) {
      return event.addedHeaders();
    }
  }

  private static InboxMessage of(
      Map<String, String> headers,
      InboxStatus status,
      @Nullable String topic,
      @Nullable String payload,
      int attempt,
      Instant firstSeen,
      @Nullable Instant dueTime,
      @Nullable String lastError) {
    String hash = headers.get(HASH);
    String lastSeen = headers.get(LAST_SEEN);
    return new InboxMessage(
        new InboxKey(header(headers, SOURCE), header(headers, MESSAGE_ID)),
        status,
        topic,
        payload,
        hash == null ? null : Base64.getDecoder().decode(hash),
        attempt,
        Integer.parseInt(headers.getOrDefault(VERSION, "1")),
        firstSeen,
        lastSeen(firstSeen, lastSeen == null ? null : Instant.parse(lastSeen)),
        dueTime,
        lastError,
        sent(headers));
  }

  private static Map<String, String> sent(Map<String, String> headers) {
    Map<String, String> sent = new LinkedHashMap<>();
    for (Map.Entry<String, String> header : headers.entrySet()) {
      if (!header.getKey().startsWith(OWN)) {
        sent.put(header.getKey(), header.getValue());
      }
    }
    return Collections.unmodifiableMap(sent);
  }

  private static String header(Map<String, String> headers, String name) {
    return requireNonNull(headers.get(name), name);
  }

  /**
   * When a message was last delivered; for those who make a store. Of two calls that waited for a
   * third one, the later may have been the first to store it.
   */
  public static Instant lastSeen(Instant firstSeen, @Nullable Instant seenAgain) {
    return seenAgain == null || seenAgain.isBefore(firstSeen) ? firstSeen : seenAgain;
  }

  /**
   * What of a message travels in the headers that its store adds to the event; for those who make a
   * store. What is usual is left out.
   *
   * @param seenAgain when it was last delivered, if it was more than once
   */
  public static Map<String, String> carried(
      String source,
      String messageId,
      byte @Nullable [] hash,
      int contentVersion,
      @Nullable Instant seenAgain) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(SOURCE, source);
    headers.put(MESSAGE_ID, messageId);
    if (contentVersion > 1) {
      headers.put(VERSION, Integer.toString(contentVersion));
    }
    if (seenAgain != null) {
      headers.put(LAST_SEEN, seenAgain.toString());
    }
    if (hash != null) {
      headers.put(HASH, Base64.getEncoder().encodeToString(hash));
    }
    return Collections.unmodifiableMap(headers);
  }

  public String source() {
    return key.source();
  }

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
