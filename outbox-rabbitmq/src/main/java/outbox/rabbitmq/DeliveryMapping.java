package outbox.rabbitmq;

import com.rabbitmq.client.Delivery;
import outbox.inbox.InboundMessage;

/** Makes a message of the inbox of a delivery. Thread-safe. */
@FunctionalInterface
public interface DeliveryMapping {

  /**
   * Returns the message that a delivery is. What this throws makes it a poison message: it must not
   * quote the content.
   *
   * @param queue the queue that it comes from
   */
  InboundMessage message(String queue, Delivery delivery) throws Exception;

  /**
   * The mapping that consumers use unless they are given another one. The source is the queue, the
   * message id that of the message. The topic is the header {@code outbox-event-type}, else the
   * type of the message, else its routing key. A message without an id gets a random one: it is not
   * lost, but a redelivery of it cannot be recognised.
   */
  static DeliveryMapping standard() {
    return new StandardMapping();
  }
}
