package outbox.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import outbox.EventEnvelope;
import outbox.internal.broker.Payloads;
import outbox.internal.broker.WireHeaders;

/** How an event becomes a message. */
record MessageFormat(
    Function<EventEnvelope, String> exchange, Function<EventEnvelope, String> routingKey) {
  private static final int PERSISTENT = 2;

  OutgoingMessage message(EventEnvelope event) {
    Map<String, Object> headers = new HashMap<>(WireHeaders.of(event));
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId(event.eventId())
            .type(event.eventType())
            .timestamp(Date.from(event.occurredAt()))
            .correlationId(event.correlationId())
            .contentType(WireHeaders.contentType(event))
            .deliveryMode(PERSISTENT)
            .headers(headers)
            .build();
    return new OutgoingMessage(
        requireNonNull(exchange.apply(event), "exchange returned null"),
        requireNonNull(routingKey.apply(event), "routingKey returned null"),
        properties,
        Payloads.bytes(event));
  }

  /** A message that is ready to be published. */
  @SuppressWarnings("ArrayRecordComponent")
  record OutgoingMessage(
      String exchange, String routingKey, BasicProperties properties, byte[] body) {}
}
