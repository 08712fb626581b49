package outbox.rabbitmq;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import outbox.contracts.broker.BrokerUnderTest;
import outbox.contracts.broker.ForwarderContract;
import outbox.contracts.broker.ForwardingOutbox;
import outbox.jdbc.db.JdbcForwardingOutbox;
import outbox.jdbc.db.Product;
import outbox.rabbitmq.broker.RabbitNode;
import outbox.spi.Forwarder;

@Tag("slow")
class RabbitForwarderContractTest extends ForwarderContract {
  private static RabbitNode node;

  @BeforeAll
  static void start() {
    node = RabbitNode.start();
  }

  @AfterAll
  static void stop() {
    if (node != null) {
      node.close();
    }
  }

  @Override
  protected BrokerUnderTest broker() {
    return new RabbitUnderTest(node);
  }

  @Override
  protected ForwardingOutbox outbox(Forwarder forwarder) {
    return new JdbcForwardingOutbox(Product.H2, LEASE, forwarder);
  }
}
