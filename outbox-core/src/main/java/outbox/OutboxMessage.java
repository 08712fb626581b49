package outbox;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.model.MessageId;

/**
 * A message as the work queue hands it out.
 *
 * @param envelope what the producer gave
 * @param createdAt when it was stored, by the database's clock; of a message from memory, as this
 *     process reckons that clock
 * @param retryCount failed deliveries so far
 * @param lastError why the last one failed; null if none has
 * @param lockedUntil end of the lease under which it was handed out; null if it is not leased
 * @param processedAt when it was acknowledged; null before
 * @param processedBy who acknowledged it; null before
 */
public record OutboxMessage(
    EventEnvelope envelope,
    Instant createdAt,
    int retryCount,
    @Nullable String lastError,
    @Nullable Instant lockedUntil,
    @Nullable Instant processedAt,
    @Nullable String processedBy) {

  /** Returns the id by which the work queue knows the message. */
  public MessageId id() {
    return new MessageId(envelope.eventId());
  }

  /** Returns the id of the message, which is {@link #id}: a message has one identity. */
  public MessageId messageId() {
    return id();
  }

  /** Returns the topic. */
  public String topic() {
    return envelope.eventType();
  }

  /**
   * The text payload.
   *
   * @throws IllegalStateException if the payload is binary; see {@link EventEnvelope#payloadBytes}
   */
  public String payload() {
    String text = envelope.payloadJson();
    if (text == null) {
      throw new IllegalStateException(
          "message " + id() + " has a binary payload; read it by envelope().payloadBytes()");
    }
    return text;
  }

  /** Returns the text for tracing; null if it has none. */
  public @Nullable String correlationId() {
    return envelope.correlationId();
  }

  /** Returns the tenant; null if it has none. */
  public @Nullable String tenantId() {
    return envelope.tenantId();
  }

  /** The producer's key, or the message's own id if it gave none. */
  public String idempotencyKey() {
    return envelope.idempotencyKey();
  }

  /** The key in whose order it is handled; null if in none. */
  public @Nullable String orderingKey() {
    return envelope.orderingKey();
  }

  /** Returns the instant before which no worker gets the message; null if it was due at once. */
  public @Nullable Instant dueTime() {
    return envelope.dueAt();
  }

  /** Returns the headers. */
  public Map<String, String> headers() {
    return envelope.headers();
  }

  /** Returns whether the message is done. */
  public boolean isProcessed() {
    return processedAt != null;
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "OutboxMessage[" + id() + " " + topic() + " retries=" + retryCount + "]";
  }
}
