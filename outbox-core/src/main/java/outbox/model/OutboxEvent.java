package outbox.model;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.util.JsonCodec;

/**
 * An event as the store holds it: what was sent still encoded, nothing judged yet.
 *
 * @param idempotencyKey the producer's key, or the event's own id; null if a node of version 1
 *     wrote it
 * @param payloadJson the text payload; null if the payload is binary
 * @param payloadBytes the binary payload; null if the payload is text
 * @param headersJson what was sent along; null if nothing was
 * @param addedHeaders what the store itself adds to these, not encoded: an inbox the key of the
 *     message and what else of it is no part of an event; others nothing
 * @param attempts failed deliveries so far
 */
@SuppressWarnings("ArrayRecordComponent")
public record OutboxEvent(
    String eventId,
    String eventType,
    @Nullable String aggregateType,
    @Nullable String aggregateId,
    @Nullable String tenantId,
    @Nullable String idempotencyKey,
    @Nullable String correlationId,
    @Nullable String payloadJson,
    byte @Nullable [] payloadBytes,
    @Nullable String headersJson,
    Map<String, String> addedHeaders,
    int attempts,
    @Nullable Instant occurredAt,
    @Nullable Instant dueAt,
    @Nullable Instant expiresAt,
    Instant createdAt) {

  /**
   * Decodes the event.
   *
   * @throws IllegalArgumentException if the row cannot be an event; the message never quotes the
   *     payload
   */
  public EventEnvelope toEnvelope() {
    EventEnvelope.Builder builder =
        EventEnvelope.builder(eventType)
            .eventId(eventId)
            .aggregateType(aggregateType)
            .aggregateId(aggregateId)
            .tenantId(tenantId)
            .idempotencyKey(eventId.equals(idempotencyKey) ? null : idempotencyKey)
            .correlationId(correlationId)
            .headers(headers())
            .occurredAt(occurredAt == null ? createdAt : occurredAt)
            .dueAt(dueAt)
            .expiresAt(expiresAt)
            .maxPayloadBytes(Integer.MAX_VALUE);
    if (payloadJson != null) {
      builder.payloadJson(payloadJson);
    }
    if (payloadBytes != null) {
      builder.payloadBytes(payloadBytes);
    }
    return builder.build();
  }

  /**
   * Decodes the headers: what was sent, and what the store adds, which counts more.
   *
   * @throws IllegalArgumentException if what was sent cannot be read
   */
  public Map<String, String> headers() {
    if (headersJson == null) {
      return addedHeaders;
    }
    Map<String, String> all = new LinkedHashMap<>(JsonCodec.parseObject(headersJson));
    all.putAll(addedHeaders);
    return Collections.unmodifiableMap(all);
  }

  /** An envelope as a store would hold it. */
  public static OutboxEvent of(EventEnvelope envelope, int attempts, Instant createdAt) {
    return new OutboxEvent(
        envelope.eventId(),
        envelope.eventType(),
        envelope.aggregateType(),
        envelope.aggregateId(),
        envelope.tenantId(),
        envelope.idempotencyKey(),
        envelope.correlationId(),
        envelope.payloadJson(),
        envelope.payloadBytes(),
        envelope.headers().isEmpty() ? null : JsonCodec.toJson(envelope.headers()),
        Map.of(),
        attempts,
        envelope.occurredAt(),
        envelope.dueAt(),
        envelope.expiresAt(),
        createdAt);
  }

  /** The same without what was sent. */
  public OutboxEvent withoutPayload() {
    return new OutboxEvent(
        eventId,
        eventType,
        aggregateType,
        aggregateId,
        tenantId,
        idempotencyKey,
        correlationId,
        null,
        null,
        headersJson,
        addedHeaders,
        attempts,
        occurredAt,
        dueAt,
        expiresAt,
        createdAt);
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "OutboxEvent[" + eventId + " " + eventType + " attempts=" + attempts + "]";
  }
}
