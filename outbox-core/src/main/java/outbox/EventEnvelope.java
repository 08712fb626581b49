package outbox;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.EnvelopeRules;
import outbox.internal.text.Ulid;
import outbox.model.InboxEntry;
import outbox.model.OutboxEvent;
import outbox.util.JsonCodec;

/**
 * An event with its metadata and its payload, which is opaque: text or bytes, given back as it was.
 * Immutable.
 */
public final class EventEnvelope {
  /** The default limit of a payload: {@value} bytes. */
  public static final int MAX_PAYLOAD_BYTES = 1_048_576;

  private final String eventId;
  private final String eventType;
  private final Instant occurredAt;
  private final @Nullable String aggregateType;
  private final @Nullable String aggregateId;
  private final @Nullable String tenantId;
  private final String idempotencyKey;
  private final @Nullable String correlationId;
  private final @Nullable String orderingKey;
  private final @Nullable Instant dueAt;
  private final @Nullable Instant expiresAt;
  private final Map<String, String> headers;
  private final @Nullable InboxEntry inboxEntry;
  private final @Nullable String payloadJson;
  private final byte @Nullable [] payloadBytes;
  private final int payloadSize;

  private EventEnvelope(Builder builder) {
    this.eventType = EnvelopeRules.type("eventType", builder.eventType);
    this.eventId =
        builder.eventId == null
            ? Ulid.next()
            : EnvelopeRules.required("eventId", builder.eventId, 36);
    this.occurredAt = builder.occurredAt == null ? Instant.now() : builder.occurredAt;
    this.aggregateType = EnvelopeRules.optional("aggregateType", builder.aggregateType, 64);
    this.aggregateId = EnvelopeRules.optional("aggregateId", builder.aggregateId, 128);
    this.tenantId = EnvelopeRules.optional("tenantId", builder.tenantId, 64);
    this.idempotencyKey =
        builder.idempotencyKey == null
            ? eventId
            : EnvelopeRules.idempotencyKey(builder.idempotencyKey, tenantId, eventId);
    this.correlationId = EnvelopeRules.optional("correlationId", builder.correlationId, 255);
    this.orderingKey = EnvelopeRules.orderingKey(builder.orderingKey);
    this.dueAt = builder.dueAt;
    this.expiresAt = EnvelopeRules.expiry(builder.expiresAt, builder.dueAt);
    this.headers = EnvelopeRules.headers(builder.headersOfPayload());
    this.inboxEntry = builder.inboxEntry;
    this.payloadJson = builder.payloadJson;
    this.payloadBytes = builder.payloadBytes;
    this.payloadSize =
        EnvelopeRules.payloadSize(payloadJson, payloadBytes, builder.maxPayloadBytes);
  }

  private EventEnvelope(EventEnvelope other, Map<String, String> headers) {
    this.eventType = other.eventType;
    this.eventId = other.eventId;
    this.occurredAt = other.occurredAt;
    this.aggregateType = other.aggregateType;
    this.aggregateId = other.aggregateId;
    this.tenantId = other.tenantId;
    this.correlationId = other.correlationId;
    this.orderingKey = other.orderingKey;
    this.idempotencyKey = other.idempotencyKey;
    this.dueAt = other.dueAt;
    this.expiresAt = other.expiresAt;
    this.headers = EnvelopeRules.headers(headers);
    this.inboxEntry = other.inboxEntry;
    this.payloadJson = other.payloadJson;
    this.payloadBytes = other.payloadBytes;
    this.payloadSize = other.payloadSize;
  }

  /** Starts an envelope of this type. */
  public static Builder builder(EventType eventType) {
    return new Builder(requireNonNull(eventType, "eventType").name());
  }

  /** Starts an envelope of this type, which is the topic of the event. */
  public static Builder builder(String eventType) {
    return new Builder(eventType);
  }

  /** An event of a type with a text payload and nothing else. */
  public static EventEnvelope ofJson(String eventType, String payloadJson) {
    return builder(eventType).payloadJson(payloadJson).build();
  }

  /** An event of a type with a text payload and nothing else. */
  public static EventEnvelope ofJson(EventType eventType, String payloadJson) {
    return builder(eventType).payloadJson(payloadJson).build();
  }

  /** Unique; by default a ULID that grows with time. Consumers recognise duplicates by it. */
  public String eventId() {
    return eventId;
  }

  /** Returns the type of the event, which is its topic. */
  public String eventType() {
    return eventType;
  }

  /** Returns when the event happened, by the publisher. */
  public Instant occurredAt() {
    return occurredAt;
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

  /**
   * What the producer recognises its event by: a tenant has one event of a key, however often it is
   * published. The event's own id if the producer gave no key.
   */
  public String idempotencyKey() {
    return idempotencyKey;
  }

  /** Whether the producer gave a key, and wants to be told of duplicates instead of adding one. */
  public boolean hasIdempotencyKey() {
    return !idempotencyKey.equals(eventId);
  }

  /** For tracing only; the outbox gives it no meaning. */
  public @Nullable String correlationId() {
    return correlationId;
  }

  /** Not to be delivered before this instant; null for at once. */
  public @Nullable Instant dueAt() {
    return dueAt;
  }

  /** Not to be delivered from this instant on; null for no limit. */
  public @Nullable Instant expiresAt() {
    return expiresAt;
  }

  /** Events of one key are handled one at a time, in order; null for an event without order. */
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  /** Unmodifiable, in the order given. */
  public Map<String, String> headers() {
    return headers;
  }

  /** What an inbox knows of the message; null for an event of an outbox. */
  public @Nullable InboxEntry inboxEntry() {
    return inboxEntry;
  }

  /** The text payload; null if the payload is binary. */
  public @Nullable String payloadJson() {
    return payloadJson;
  }

  /** A copy of the binary payload; null if the payload is text. */
  public byte @Nullable [] payloadBytes() {
    return payloadBytes == null ? null : payloadBytes.clone();
  }

  /** The size of the payload in bytes, of text in UTF-8. */
  public int payloadSize() {
    return payloadSize;
  }

  /** Returns this envelope with more headers; those that it has already stay as they are. */
  public EventEnvelope withHeaders(Map<String, String> more) {
    if (headers.keySet().containsAll(more.keySet())) {
      return this;
    }
    Map<String, String> all = new LinkedHashMap<>(headers);
    more.forEach(all::putIfAbsent);
    return new EventEnvelope(this, all);
  }

  /**
   * Decodes an event as a store holds it.
   *
   * @throws IllegalArgumentException if the row cannot be an event; the message never quotes the
   *     payload
   */
  public static EventEnvelope of(OutboxEvent event) {
    String key = event.idempotencyKey();
    Instant occurredAt = event.occurredAt();
    return builder(event.eventType())
        .eventId(event.eventId())
        .aggregateType(event.aggregateType())
        .aggregateId(event.aggregateId())
        .tenantId(event.tenantId())
        .idempotencyKey(event.eventId().equals(key) ? null : key)
        .correlationId(event.correlationId())
        .orderingKey(event.orderingKey())
        .headers(event.headers())
        .inboxEntry(event.inboxEntry())
        .occurredAt(occurredAt == null ? event.createdAt() : occurredAt)
        .dueAt(event.dueAt())
        .expiresAt(event.expiresAt())
        .maxPayloadBytes(Integer.MAX_VALUE)
        .payloadJson(event.payloadJson())
        .payloadBytes(event.payloadBytes())
        .build();
  }

  /** Encodes the event as a store holds it; the store adds what it knows, such as attempts. */
  public OutboxEvent.Builder toEvent(Instant createdAt) {
    return OutboxEvent.builder(eventId, eventType, createdAt)
        .aggregateType(aggregateType)
        .aggregateId(aggregateId)
        .tenantId(tenantId)
        .idempotencyKey(idempotencyKey)
        .correlationId(correlationId)
        .orderingKey(orderingKey)
        .payloadJson(payloadJson)
        .payloadBytes(payloadBytes())
        .headersJson(headers.isEmpty() ? null : JsonCodec.toJson(headers))
        .inboxEntry(inboxEntry)
        .occurredAt(occurredAt)
        .dueAt(dueAt)
        .expiresAt(expiresAt);
  }

  /** Identity, never content: payloads and headers do not belong in a log. */
  @Override
  public String toString() {
    return "EventEnvelope[" + eventId + " " + eventType + " " + payloadSize + " bytes]";
  }

  /** Collects the parts of an envelope; {@link #build} checks them. Not thread-safe. */
  public static final class Builder {
    private final @Nullable String eventType;
    private @Nullable String eventId;
    private @Nullable Instant occurredAt;
    private @Nullable String aggregateType;
    private @Nullable String aggregateId;
    private @Nullable String tenantId;
    private @Nullable String idempotencyKey;
    private @Nullable String correlationId;
    private @Nullable String orderingKey;
    private @Nullable Instant dueAt;
    private @Nullable Instant expiresAt;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable InboxEntry inboxEntry;
    private @Nullable String payloadJson;
    private byte @Nullable [] payloadBytes;
    private @Nullable String contentType;
    private int maxPayloadBytes = MAX_PAYLOAD_BYTES;

    private Builder(@Nullable String eventType) {
      this.eventType = eventType;
    }

    /** Sets the id of the event; a ULID by default. */
    public Builder eventId(@Nullable String eventId) {
      this.eventId = eventId;
      return this;
    }

    /** Sets when the event happened; now by default. */
    public Builder occurredAt(@Nullable Instant occurredAt) {
      this.occurredAt = occurredAt;
      return this;
    }

    /** Sets the type of the business object that the event is about. */
    public Builder aggregateType(AggregateType aggregateType) {
      return aggregateType(requireNonNull(aggregateType, "aggregateType").name());
    }

    /** Sets the type of the business object that the event is about; null for none. */
    public Builder aggregateType(@Nullable String aggregateType) {
      this.aggregateType = aggregateType;
      return this;
    }

    /** Sets the id of the business object that the event is about; null for none. */
    public Builder aggregateId(@Nullable String aggregateId) {
      this.aggregateId = aggregateId;
      return this;
    }

    /** Sets the tenant; null for none. */
    public Builder tenantId(@Nullable String tenantId) {
      this.tenantId = tenantId;
      return this;
    }

    /** A key such as those that {@link OutboxIdempotency} makes. */
    public Builder idempotencyKey(UUID idempotencyKey) {
      return idempotencyKey(requireNonNull(idempotencyKey, "idempotencyKey").toString());
    }

    /**
     * At most 64 characters, compared exactly: a UUID is in lower case. Do not give the event an id
     * of its own beside it.
     */
    public Builder idempotencyKey(@Nullable String idempotencyKey) {
      this.idempotencyKey = idempotencyKey;
      return this;
    }

    /** Sets a text for tracing, at most 255 characters; null for none. */
    public Builder correlationId(@Nullable String correlationId) {
      this.correlationId = correlationId;
      return this;
    }

    /**
     * Events of one key, such as the id of an aggregate, are handled one at a time: in the order in
     * which they were published within a transaction, and in which their transactions committed. At
     * most 255 characters, compared exactly within the table. Events of other keys, and those
     * without a key, are not held up.
     */
    public Builder orderingKey(@Nullable String orderingKey) {
      this.orderingKey = orderingKey;
      return this;
    }

    /** The event is stored now and delivered from this instant on. */
    public Builder dueAt(@Nullable Instant dueAt) {
      this.dueAt = dueAt;
      return this;
    }

    /** An event not delivered by this instant, which is after {@link #dueAt}, ends DEAD. */
    public Builder expiresAt(@Nullable Instant expiresAt) {
      this.expiresAt = expiresAt;
      return this;
    }

    /** Adds a header. */
    public Builder header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    /** Replaces all headers. */
    public Builder headers(Map<String, String> headers) {
      requireNonNull(headers, "headers");
      this.headers.clear();
      this.headers.putAll(headers);
      return this;
    }

    /** What an inbox knows of the message. Set by the inbox; an outbox does not store it. */
    public Builder inboxEntry(@Nullable InboxEntry inboxEntry) {
      this.inboxEntry = inboxEntry;
      return this;
    }

    /** Text, usually JSON; it is not parsed. Excludes {@link #payloadBytes}. */
    public Builder payloadJson(@Nullable String payloadJson) {
      this.payloadJson = payloadJson;
      return this;
    }

    /** Any bytes; they are copied. Excludes {@link #payloadJson}. */
    public Builder payloadBytes(byte @Nullable [] payloadBytes) {
      this.payloadBytes = payloadBytes == null ? null : payloadBytes.clone();
      return this;
    }

    /**
     * Writes an object by a codec, as text or as bytes. Takes a {@code String} or {@code byte[]} as
     * it is. Excludes {@link #payloadJson} and {@link #payloadBytes}. If the codec writes something
     * else than JSON, the event gets a header {@value PayloadCodec#CONTENT_TYPE}, unless it has
     * one.
     */
    public Builder payload(Object payload, PayloadCodec codec) {
      requireNonNull(codec, "codec");
      this.contentType = null;
      if (requireNonNull(payload, "payload") instanceof String text) {
        return payloadJson(text);
      }
      if (payload instanceof byte[] bytes) {
        return payloadBytes(bytes);
      }
      byte[] encoded = codec.encode(payload);
      String type = codec.contentType();
      this.contentType = type.equals(PayloadCodec.JSON) ? null : type;
      return codec.isText()
          ? payloadJson(new String(encoded, StandardCharsets.UTF_8))
          : payloadBytes(encoded);
    }

    private Map<String, String> headersOfPayload() {
      if (contentType == null) {
        return headers;
      }
      Map<String, String> all = new LinkedHashMap<>(headers);
      all.putIfAbsent(PayloadCodec.CONTENT_TYPE, contentType);
      return all;
    }

    /** Another limit than {@link #MAX_PAYLOAD_BYTES} for this event. */
    public Builder maxPayloadBytes(int maxPayloadBytes) {
      if (maxPayloadBytes < 1) {
        throw new IllegalArgumentException(
            "maxPayloadBytes (" + maxPayloadBytes + ") must be at least 1");
      }
      this.maxPayloadBytes = maxPayloadBytes;
      return this;
    }

    /**
     * Makes the envelope.
     *
     * @throws NullPointerException if the event type, a header name or a header value is null
     * @throws IllegalArgumentException if a value cannot be stored, naming the field and the rule
     */
    public EventEnvelope build() {
      return new EventEnvelope(this);
    }
  }
}
