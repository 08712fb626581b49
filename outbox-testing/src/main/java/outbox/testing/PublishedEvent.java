package outbox.testing;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.model.EventStatus;

/** An event as it is stored at one moment, of {@link PublishedEvents}. Immutable. */
public final class PublishedEvent {
  private static final int MOST_SHOWN = 300;

  private final EventEnvelope envelope;
  private final EventStatus status;
  private final int attempts;
  private final @Nullable String lastError;
  private final PayloadCodec codec;

  PublishedEvent(
      EventEnvelope envelope,
      EventStatus status,
      int attempts,
      @Nullable String lastError,
      PayloadCodec codec) {
    this.envelope = envelope;
    this.status = status;
    this.attempts = attempts;
    this.lastError = lastError;
    this.codec = codec;
  }

  /** Returns the event with its key, tenant, headers and times. */
  public EventEnvelope envelope() {
    return envelope;
  }

  /** Returns the id of the event. */
  public String eventId() {
    return envelope.eventId();
  }

  /** Returns the topic of the event. */
  public String topic() {
    return envelope.eventType();
  }

  /**
   * Reads the payload.
   *
   * @param type the class to read it as; a {@code String} is the text itself
   * @throws outbox.UnreadablePayloadException if it cannot be read as the class
   */
  public <T> T payload(Class<T> type) {
    String text = envelope.payloadJson();
    return type == String.class && text != null ? type.cast(text) : codec.read(envelope, type);
  }

  /** Returns the status of the event. */
  public EventStatus status() {
    return status;
  }

  /** Returns how many deliveries have failed. */
  public int attempts() {
    return attempts;
  }

  /** Returns the class and the message of the last failure; null if there is none. */
  public @Nullable String lastError() {
    return lastError;
  }

  /** Shows topic, payload and state, for the messages of assertions; keep it out of logs. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(topic()).append(' ').append(shownPayload());
    append(text, "key", envelope.hasIdempotencyKey() ? envelope.idempotencyKey() : null);
    append(text, "tenant", envelope.tenantId());
    append(text, "aggregate", aggregate());
    append(text, "due", envelope.dueAt());
    append(text, "headers", envelope.headers().isEmpty() ? null : envelope.headers());
    append(text, "status", status);
    append(text, "attempts", attempts == 0 ? null : attempts);
    append(text, "error", lastError);
    return text.toString();
  }

  @Nullable String aggregate() {
    return envelope.aggregateType() == null && envelope.aggregateId() == null
        ? null
        : envelope.aggregateType() + "/" + envelope.aggregateId();
  }

  private String shownPayload() {
    String text = envelope.payloadJson();
    if (text == null) {
      return envelope.payloadSize() + " bytes";
    }
    return text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "…" : text;
  }

  private static void append(StringBuilder text, String name, @Nullable Object value) {
    if (value != null) {
      text.append(' ').append(name).append('=').append(value);
    }
  }
}
