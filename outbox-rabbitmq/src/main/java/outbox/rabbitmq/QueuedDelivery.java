package outbox.rabbitmq;

import com.rabbitmq.client.Delivery;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.internal.broker.BrokerMessages;

/** A delivery and its queue. */
record QueuedDelivery(String queue, Delivery delivery) {

  long tag() {
    return delivery.getEnvelope().getDeliveryTag();
  }

  /** Deliveries as messages. */
  record Messages(DeliveryMapping mapping) implements BrokerMessages<QueuedDelivery> {

    @Override
    public InboundMessage message(QueuedDelivery queued) throws Exception {
      return mapping.message(queued.queue(), queued.delivery());
    }

    @Override
    public InboxKey place(QueuedDelivery queued) {
      return StandardMapping.key(queued.queue(), queued.delivery());
    }

    @Override
    public String position(QueuedDelivery queued) {
      return "queue "
          + queued.queue()
          + ", message id "
          + queued.delivery().getProperties().getMessageId();
    }

    @Override
    public byte[] content(QueuedDelivery queued) {
      return queued.delivery().getBody();
    }
  }
}
