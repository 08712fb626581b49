package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.internal.text.StorableText;

/**
 * A message as it comes from outside.
 *
 * @param topic which handler it is for; at most 255 characters, case-sensitive
 * @param payload anything, also empty; never parsed
 * @param hash of the content, best SHA-256, to notice two contents under one key; null for none
 * @param dueTime not to be handled before; null for at once
 * @param headers what goes with it to its handler, such as a trace
 */
@SuppressWarnings("ArrayRecordComponent")
public record InboundMessage(
    InboxKey key,
    String topic,
    String payload,
    byte @Nullable [] hash,
    @Nullable Instant dueTime,
    Map<String, String> headers) {

  /** A hash, not a second payload: at most this many bytes. */
  public static final int MAX_HASH_BYTES = 1024;

  /** The longest header, its name counted. */
  private static final int MAX_HEADER_LENGTH = 8192;

  /** The largest payload, in bytes of UTF-8, unless the inbox is given another limit. */
  public static final int MAX_PAYLOAD_BYTES = EventEnvelope.MAX_PAYLOAD_BYTES;

  /** Checks everything but the payload's size, which is the inbox's to limit. */
  public InboundMessage(
      InboxKey key,
      String topic,
      String payload,
      byte @Nullable [] hash,
      @Nullable Instant dueTime,
      Map<String, String> headers) {
    this.key = requireNonNull(key, "key");
    this.topic = InboxKey.topic("topic", topic);
    if (payload == null) {
      throw new IllegalArgumentException("payload must not be null; it may be empty");
    }
    this.payload = payload;
    this.hash = copied(hash);
    this.dueTime = dueTime;
    this.headers = Map.copyOf(headers);
  }

  /** Creates a message that is due at once, without hash and headers. */
  public static InboundMessage of(InboxKey key, String topic, String payload) {
    return new InboundMessage(key, topic, payload, null, null, Map.of());
  }

  /**
   * Creates a message whose payload a codec writes, due at once and without a hash. Takes a {@code
   * String} as it is.
   *
   * @throws IllegalArgumentException if the payload is bytes: an inbox stores text
   */
  public static InboundMessage of(InboxKey key, String topic, Object payload, PayloadCodec codec) {
    EventEnvelope written =
        EventEnvelope.builder(InboxKey.topic("topic", topic))
            .maxPayloadBytes(Integer.MAX_VALUE)
            .payload(payload, codec)
            .build();
    String text = written.payloadJson();
    if (text == null) {
      throw new IllegalArgumentException(
          "the payload of an inbox message must be text, and this one is bytes ("
              + codec.contentType()
              + "); encode the bytes as text, or use a codec that writes text");
    }
    return new InboundMessage(key, topic, text, null, null, written.headers());
  }

  /** Returns this message with a hash of its content; null for none. */
  public InboundMessage withHash(byte @Nullable [] hash) {
    return new InboundMessage(key, topic, payload, hash, dueTime, headers);
  }

  /** Returns this message with the instant before which no handler gets it; null for at once. */
  public InboundMessage withDueTime(@Nullable Instant dueTime) {
    return new InboundMessage(key, topic, payload, hash, dueTime, headers);
  }

  /** Returns this message with more headers; those that it has already stay as they are. */
  public InboundMessage withHeaders(Map<String, String> more) {
    if (headers.keySet().containsAll(more.keySet())) {
      return this;
    }
    Map<String, String> all = new HashMap<>(more);
    all.putAll(headers);
    return new InboundMessage(key, topic, payload, hash, dueTime, all);
  }

  static byte @Nullable [] copied(byte @Nullable [] hash) {
    if (hash != null && hash.length > MAX_HASH_BYTES) {
      throw new IllegalArgumentException(
          "hash (" + hash.length + " bytes) must not exceed " + MAX_HASH_BYTES);
    }
    return hash == null ? null : hash.clone();
  }

  /** Refuses what no text column holds, and a payload that is larger than the limit. */
  InboundMessage within(int maxPayloadBytes) {
    headers.forEach(InboundMessage::checkHeader);
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

  private static void checkHeader(String name, String value) {
    StorableText.atMost("header '" + name + "'", name + value, MAX_HEADER_LENGTH);
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "InboundMessage[" + key + " " + topic + "]";
  }
}
