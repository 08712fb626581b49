package outbox.kafka;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import outbox.contracts.broker.BrokerUnderTest;
import outbox.contracts.broker.ForwarderContract;
import outbox.contracts.broker.ForwardingOutbox;
import outbox.jdbc.db.JdbcForwardingOutbox;
import outbox.jdbc.db.Product;
import outbox.kafka.broker.KafkaBroker;
import outbox.spi.Forwarder;

@Tag("slow")
class KafkaForwarderContractTest extends ForwarderContract {
  private static KafkaBroker broker;

  @BeforeAll
  static void start() {
    broker = KafkaBroker.start();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Override
  protected BrokerUnderTest broker() {
    return new KafkaUnderTest(broker);
  }

  @Override
  protected ForwardingOutbox outbox(Forwarder forwarder) {
    return new JdbcForwardingOutbox(Product.H2, LEASE, forwarder);
  }
}
