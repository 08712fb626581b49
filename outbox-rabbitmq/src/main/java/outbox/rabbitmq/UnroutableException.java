package outbox.rabbitmq;

/** No queue takes a message: its exchange has no binding for the routing key. */
public final class UnroutableException extends Exception {
  private static final long serialVersionUID = 1L;

  UnroutableException(String exchange, String routingKey) {
    super(
        "RabbitMQ returned the message: no queue is bound to exchange '"
            + exchange
            + "' for routing key '"
            + routingKey
            + "'; bind one, or change exchange or routing key of the forwarder");
  }
}
