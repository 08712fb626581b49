package outbox.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.LongString;
import java.nio.charset.CharacterCodingException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import outbox.PayloadCodec;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.internal.broker.Payloads;
import outbox.internal.broker.WireHeaders;

/** See {@link DeliveryMapping#standard}. */
final class StandardMapping implements DeliveryMapping {

  @Override
  public InboundMessage message(String queue, Delivery delivery) {
    Map<String, String> headers = headers(delivery.getProperties());
    return new InboundMessage(
        key(queue, delivery), topic(delivery, headers), text(delivery), null, null, headers);
  }

  /** Also the key of a message that cannot be read. */
  static InboxKey key(String queue, Delivery delivery) {
    String id = delivery.getProperties().getMessageId();
    return new InboxKey(queue, id == null || id.isEmpty() ? UUID.randomUUID().toString() : id);
  }

  private static String topic(Delivery delivery, Map<String, String> headers) {
    String type = delivery.getProperties().getType();
    return headers.getOrDefault(
        WireHeaders.EVENT_TYPE, type != null ? type : delivery.getEnvelope().getRoutingKey());
  }

  /** Text, numbers and truth values; nothing that is nested. */
  private static Map<String, String> headers(BasicProperties properties) {
    Map<String, String> headers = new HashMap<>();
    if (properties.getHeaders() != null) {
      properties
          .getHeaders()
          .forEach(
              (name, value) -> {
                if (value instanceof LongString
                    || value instanceof String
                    || value instanceof Number
                    || value instanceof Boolean) {
                  headers.put(name, value.toString());
                }
              });
    }
    if (properties.getContentType() != null) {
      headers.putIfAbsent(PayloadCodec.CONTENT_TYPE, properties.getContentType());
    }
    if (properties.getCorrelationId() != null) {
      headers.putIfAbsent(WireHeaders.CORRELATION_ID, properties.getCorrelationId());
    }
    return headers;
  }

  private static String text(Delivery delivery) {
    try {
      return Payloads.text(delivery.getBody());
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "the body is not text in UTF-8, and an inbox stores text; give the consumer a mapping",
          e);
    }
  }
}
