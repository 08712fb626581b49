package outbox.kafka;

import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.nio.charset.CharacterCodingException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import outbox.PayloadCodec;
import outbox.inbox.InboundMessage;
import outbox.internal.broker.Payloads;

/** Reads CloudEvents in structured mode by their SDK, which only these need. */
final class StructuredCloudEvents {
  private StructuredCloudEvents() {}

  static InboundMessage message(ConsumerRecord<byte[], byte[]> record, Map<String, String> headers)
      throws CharacterCodingException {
    CloudEvent event = read(record);
    Map<String, String> attributes = new LinkedHashMap<>();
    for (String name : event.getAttributeNames()) {
      attributes.put(name, String.valueOf(event.getAttribute(name)));
    }
    for (String name : event.getExtensionNames()) {
      attributes.put(name, String.valueOf(event.getExtension(name)));
    }
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.putAll(attributes);
    all.remove(PayloadCodec.CONTENT_TYPE);
    String contentType = event.getDataContentType();
    if (contentType != null) {
      all.put(PayloadCodec.CONTENT_TYPE, contentType);
    }
    CloudEventData data = event.getData();
    return StandardMapping.cloudEvent(
        attributes, all, data == null ? "" : Payloads.text(data.toBytes()));
  }

  /** The SDK's message may quote the content. */
  private static CloudEvent read(ConsumerRecord<byte[], byte[]> record) {
    try {
      return KafkaMessageFactory.createReader(record).toEvent();
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "the value is no CloudEvent in JSON, or io.cloudevents:cloudevents-json-jackson is not on"
              + " the class path ("
              + e.getClass().getName()
              + ")");
    } catch (LinkageError e) {
      throw new IllegalArgumentException(
          "CloudEvents in structured mode need io.cloudevents:cloudevents-kafka and"
              + " io.cloudevents:cloudevents-json-jackson on the class path",
          e);
    }
  }
}
