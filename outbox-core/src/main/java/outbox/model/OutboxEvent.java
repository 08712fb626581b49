package outbox.model;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.util.JsonCodec;

/**
 * An event as the store holds it: what was sent still encoded, nothing judged yet. Immutable, but
 * for the bytes of a payload, which are not copied. {@code EventEnvelope.of} decodes it.
 */
public final class OutboxEvent {
  private final String eventId;
  private final String eventType;
  private final @Nullable String aggregateType;
  private final @Nullable String aggregateId;
  private final @Nullable String tenantId;
  private final @Nullable String idempotencyKey;
  private final @Nullable String correlationId;
  private final @Nullable String orderingKey;
  private final @Nullable String payloadJson;
  private final byte @Nullable [] payloadBytes;
  private final @Nullable String headersJson;
  private final @Nullable InboxEntry inboxEntry;
  private final int attempts;
  private final @Nullable Instant occurredAt;
  private final @Nullable Instant dueAt;
  private final @Nullable Instant expiresAt;
  private final Instant createdAt;

  private OutboxEvent(Builder builder) {
    this.eventId = builder.eventId;
    this.eventType = builder.eventType;
    this.aggregateType = builder.aggregateType;
    this.aggregateId = builder.aggregateId;
    this.tenantId = builder.tenantId;
    this.idempotencyKey = builder.idempotencyKey;
    this.correlationId = builder.correlationId;
    this.orderingKey = builder.orderingKey;
    this.payloadJson = builder.payloadJson;
    this.payloadBytes = builder.payloadBytes;
    this.headersJson = builder.headersJson;
    this.inboxEntry = builder.inboxEntry;
    this.attempts = builder.attempts;
    this.occurredAt = builder.occurredAt;
    this.dueAt = builder.dueAt;
    this.expiresAt = builder.expiresAt;
    this.createdAt = builder.createdAt;
  }

  /** Collects the fields of an event; all but these three may be left out. */
  public static Builder builder(String eventId, String eventType, Instant createdAt) {
    return new Builder(eventId, eventType, createdAt);
  }

  /** Returns a builder that has the fields of this event. */
  public Builder toBuilder() {
    Builder builder = new Builder(eventId, eventType, createdAt);
    builder.aggregateType = aggregateType;
    builder.aggregateId = aggregateId;
    builder.tenantId = tenantId;
    builder.idempotencyKey = idempotencyKey;
    builder.correlationId = correlationId;
    builder.orderingKey = orderingKey;
    builder.payloadJson = payloadJson;
    builder.payloadBytes = payloadBytes;
    builder.headersJson = headersJson;
    builder.inboxEntry = inboxEntry;
    builder.attempts = attempts;
    builder.occurredAt = occurredAt;
    builder.dueAt = dueAt;
    builder.expiresAt = expiresAt;
    return builder;
  }

  /** Returns the id. */
  public String eventId() {
    return eventId;
  }

  /** Returns the type, which is the topic. */
  public String eventType() {
    return eventType;
  }

  /** Returns the type of the business object that the event is about; null if it has none. */
  public @Nullable String aggregateType() {
    return aggregateType;
  }

  /** Returns the id of the business object that the event is about; null if it has none. */
  public @Nullable String aggregateId() {
    return aggregateId;
  }

  /** Returns the tenant; null if it has none. */
  public @Nullable String tenantId() {
    return tenantId;
  }

  /** The producer's key, or the event's own id; null if a node of version 1 wrote it. */
  public @Nullable String idempotencyKey() {
    return idempotencyKey;
  }

  /** Returns the text for tracing; null if it has none. */
  public @Nullable String correlationId() {
    return correlationId;
  }

  /** Events of one key are handled in order; null for an event without order. */
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  /** The text payload; null if the payload is binary. */
  public @Nullable String payloadJson() {
    return payloadJson;
  }

  /** The binary payload, not copied; null if the payload is text. */
  public byte @Nullable [] payloadBytes() {
    return payloadBytes;
  }

  /** What was sent along; null if nothing was. */
  public @Nullable String headersJson() {
    return headersJson;
  }

  /** What the inbox that stores the event knows of it; null for an event of an outbox. */
  public @Nullable InboxEntry inboxEntry() {
    return inboxEntry;
  }

  /** Failed deliveries so far. */
  public int attempts() {
    return attempts;
  }

  /** Returns when the event happened, by the publisher. */
  public @Nullable Instant occurredAt() {
    return occurredAt;
  }

  /** Returns the instant before which no listener gets the event; null if it was due at once. */
  public @Nullable Instant dueAt() {
    return dueAt;
  }

  /** Returns the instant from which the event is no longer delivered; null for never. */
  public @Nullable Instant expiresAt() {
    return expiresAt;
  }

  /** When the event was stored, by the store's clock. */
  public Instant createdAt() {
    return createdAt;
  }

  /**
   * Decodes what was sent along.
   *
   * @throws IllegalArgumentException if it cannot be read; the message does not quote it
   */
  public Map<String, String> headers() {
    return headersJson == null
        ? Map.of()
        : Collections.unmodifiableMap(JsonCodec.parseObject(headersJson));
  }

  /** Returns the event without its payload. */
  public OutboxEvent withoutPayload() {
    return toBuilder().payloadJson(null).payloadBytes(null).build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OutboxEvent event
        && eventId.equals(event.eventId)
        && eventType.equals(event.eventType)
        && Objects.equals(aggregateType, event.aggregateType)
        && Objects.equals(aggregateId, event.aggregateId)
        && Objects.equals(tenantId, event.tenantId)
        && Objects.equals(idempotencyKey, event.idempotencyKey)
        && Objects.equals(correlationId, event.correlationId)
        && Objects.equals(orderingKey, event.orderingKey)
        && Objects.equals(payloadJson, event.payloadJson)
        && Arrays.equals(payloadBytes, event.payloadBytes)
        && Objects.equals(headersJson, event.headersJson)
        && Objects.equals(inboxEntry, event.inboxEntry)
        && attempts == event.attempts
        && Objects.equals(occurredAt, event.occurredAt)
        && Objects.equals(dueAt, event.dueAt)
        && Objects.equals(expiresAt, event.expiresAt)
        && createdAt.equals(event.createdAt);
  }

  @Override
  public int hashCode() {
    return Objects.hash(eventId, attempts, createdAt);
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "OutboxEvent[" + eventId + " " + eventType + " attempts=" + attempts + "]";
  }

  /** Collects the fields of an event and checks nothing. Not thread-safe. */
  public static final class Builder {
    private final String eventId;
    private final String eventType;
    private @Nullable String aggregateType;
    private @Nullable String aggregateId;
    private @Nullable String tenantId;
    private @Nullable String idempotencyKey;
    private @Nullable String correlationId;
    private @Nullable String orderingKey;
    private @Nullable String payloadJson;
    private byte @Nullable [] payloadBytes;
    private @Nullable String headersJson;
    private @Nullable InboxEntry inboxEntry;
    private int attempts;
    private @Nullable Instant occurredAt;
    private @Nullable Instant dueAt;
    private @Nullable Instant expiresAt;
    private final Instant createdAt;

    private Builder(String eventId, String eventType, Instant createdAt) {
      this.eventId = requireNonNull(eventId, "eventId");
      this.eventType = requireNonNull(eventType, "eventType");
      this.createdAt = requireNonNull(createdAt, "createdAt");
    }

    /** Sets the type of the business object that the event is about. */
    public Builder aggregateType(@Nullable String aggregateType) {
      this.aggregateType = aggregateType;
      return this;
    }

    /** Sets the id of the business object that the event is about. */
    public Builder aggregateId(@Nullable String aggregateId) {
      this.aggregateId = aggregateId;
      return this;
    }

    /** Sets the tenant. */
    public Builder tenantId(@Nullable String tenantId) {
      this.tenantId = tenantId;
      return this;
    }

    /** Sets the idempotency key, of which a tenant has one event. */
    public Builder idempotencyKey(@Nullable String idempotencyKey) {
      this.idempotencyKey = idempotencyKey;
      return this;
    }

    /** Sets the text for tracing. */
    public Builder correlationId(@Nullable String correlationId) {
      this.correlationId = correlationId;
      return this;
    }

    /** Sets the key in whose order the event is handled; null for none. */
    public Builder orderingKey(@Nullable String orderingKey) {
      this.orderingKey = orderingKey;
      return this;
    }

    /** Sets a payload that is text. */
    public Builder payloadJson(@Nullable String payloadJson) {
      this.payloadJson = payloadJson;
      return this;
    }

    /** Sets a payload that is bytes. */
    public Builder payloadBytes(byte @Nullable [] payloadBytes) {
      this.payloadBytes = payloadBytes;
      return this;
    }

    /** Sets the headers as the JSON that the table stores. */
    public Builder headersJson(@Nullable String headersJson) {
      this.headersJson = headersJson;
      return this;
    }

    /** Sets key, hash and content version of a message of an inbox. */
    public Builder inboxEntry(@Nullable InboxEntry inboxEntry) {
      this.inboxEntry = inboxEntry;
      return this;
    }

    /** Sets how many deliveries have failed. */
    public Builder attempts(int attempts) {
      this.attempts = attempts;
      return this;
    }

    /** Sets when the event happened, by the publisher. */
    public Builder occurredAt(@Nullable Instant occurredAt) {
      this.occurredAt = occurredAt;
      return this;
    }

    /** Sets the instant before which no listener gets the event. */
    public Builder dueAt(@Nullable Instant dueAt) {
      this.dueAt = dueAt;
      return this;
    }

    /** Sets the instant from which the event is no longer delivered. */
    public Builder expiresAt(@Nullable Instant expiresAt) {
      this.expiresAt = expiresAt;
      return this;
    }

    /** Builds the event. */
    public OutboxEvent build() {
      return new OutboxEvent(this);
    }
  }
}
