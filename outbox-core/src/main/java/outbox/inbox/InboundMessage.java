package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.util.StorableText;

/**
 * A message as it comes from outside.
 *
 * @param topic which handler it is for; at most 255 characters, case-sensitive
 * @param payload anything, also empty; never parsed
 * @param hash of the content, best SHA-256, to notice two contents under one key; null for none
 * @param dueTime not to be handled before; null for at once
 */
@SuppressWarnings("ArrayRecordComponent")
public record InboundMessage(
    InboxKey key, String topic, String payload, byte @Nullable [] hash, @Nullable Instant dueTime) {

  /** A hash, not a second payload: at most this many bytes. */
  public static final int MAX_HASH_BYTES = 1024;

  /** The largest payload, in bytes of UTF-8, unless the inbox is given another limit. */
  public static final int MAX_PAYLOAD_BYTES = EventEnvelope.MAX_PAYLOAD_BYTES;

  /** Checks everything but the payload's size, which is the inbox's to limit. */
  public InboundMessage(
      InboxKey key,
      String topic,
      String payload,
      byte @Nullable [] hash,
      @Nullable Instant dueTime) {
    this.key = requireNonNull(key, "key");
    this.topic = InboxKey.required("topic", topic);
    if (payload == null) {
      throw new IllegalArgumentException("payload must not be null; it may be empty");
    }
    this.payload = payload;
    this.hash = copied(hash);
    this.dueTime = dueTime;
  }

  /** A message without hash that is due at once. */
  public static InboundMessage of(InboxKey key, String topic, String payload) {
    return new InboundMessage(key, topic, payload, null, null);
  }

  static byte @Nullable [] copied(byte @Nullable [] hash) {
    if (hash != null && hash.length > MAX_HASH_BYTES) {
      throw new IllegalArgumentException(
          "hash (" + hash.length + " bytes) must not exceed " + MAX_HASH_BYTES);
    }
    return hash == null ? null : hash.clone();
  }

  /** Refuses a payload that no text column holds or that is larger than the limit. */
  InboundMessage within(int maxPayloadBytes) {
    long bytes = StorableText.utf8Length("payload", payload);
    if (bytes > maxPayloadBytes) {
      throw new IllegalArgumentException(
          "payload ("
              + bytes
              + " bytes) must not exceed "
              + maxPayloadBytes
              + " bytes; store large content elsewhere and keep a reference, or raise"
              + " maxPayloadBytes");
    }
    return this;
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "InboundMessage[" + key + " " + topic + "]";
  }
}
