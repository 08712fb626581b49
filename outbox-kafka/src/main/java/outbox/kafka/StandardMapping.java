package outbox.kafka;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import outbox.PayloadCodec;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.internal.broker.Payloads;
import outbox.internal.broker.WireHeaders;

/** See {@link RecordMapping#standard}. */
final class StandardMapping implements RecordMapping {
  /** Where the message comes from: topic, partition and offset. */
  static final String POSITION = "outbox-position";

  static final String KEY = "kafka-key";

  @Override
  public InboundMessage message(ConsumerRecord<byte[], byte[]> record) throws Exception {
    Map<String, String> headers = headers(record);
    String contentType = headers.get(PayloadCodec.CONTENT_TYPE);
    if (contentType != null && contentType.startsWith(CloudEventNames.JSON)) {
      return StructuredCloudEvents.message(record, headers);
    }
    String payload = text(record.value());
    return headers.containsKey(CloudEventNames.PREFIX + "specversion")
        ? cloudEvent(headers, payload)
        : message(record, headers, payload);
  }

  private static InboundMessage message(
      ConsumerRecord<byte[], byte[]> record, Map<String, String> headers, String payload) {
    String eventId = headers.get(WireHeaders.EVENT_ID);
    return message(
        eventId != null ? new InboxKey(record.topic(), eventId) : place(record),
        headers.getOrDefault(WireHeaders.EVENT_TYPE, record.topic()),
        payload,
        headers);
  }

  private static InboundMessage cloudEvent(Map<String, String> headers, String payload) {
    Map<String, String> attributes = new LinkedHashMap<>();
    headers.forEach(
        (name, value) ->
            attributes.put(
                name.startsWith(CloudEventNames.PREFIX)
                    ? name.substring(CloudEventNames.PREFIX.length())
                    : name,
                value));
    return cloudEvent(attributes, attributes, payload);
  }

  /** The attributes of a CloudEvent that name the message stay among its headers. */
  static InboundMessage cloudEvent(
      Map<String, String> attributes, Map<String, String> headers, String payload) {
    return message(
        new InboxKey(attribute(attributes, "source"), attribute(attributes, "id")),
        attribute(attributes, "type"),
        payload,
        headers);
  }

  private static String attribute(Map<String, String> attributes, String name) {
    String value = attributes.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the CloudEvent has no " + name);
    }
    return value;
  }

  private static InboundMessage message(
      InboxKey key, String topic, String payload, Map<String, String> headers) {
    return new InboundMessage(key, topic, payload, null, null, headers);
  }

  /** The last header of each name, and where the record is. */
  static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (Header header : record.headers()) {
      if (header.value() != null) {
        headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
      }
    }
    headers.put(POSITION, position(record));
    if (record.key() != null) {
      headers.put(KEY, new String(record.key(), StandardCharsets.UTF_8));
    }
    return headers;
  }

  /** The key of a record that names none itself. */
  static InboxKey place(ConsumerRecord<byte[], byte[]> record) {
    return new InboxKey(record.topic(), record.partition() + "-" + record.offset());
  }

  static String position(ConsumerRecord<byte[], byte[]> record) {
    return record.topic() + "-" + record.partition() + "-" + record.offset();
  }

  /** A tombstone is an empty payload. */
  private static String text(byte @Nullable [] value) {
    if (value == null) {
      return "";
    }
    try {
      return Payloads.text(value);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "the value is not text in UTF-8, and an inbox stores text; give the consumer a mapping",
          e);
    }
  }
}
