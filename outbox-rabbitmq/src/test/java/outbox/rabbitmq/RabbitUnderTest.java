package outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import outbox.contracts.broker.BrokerUnderTest;
import outbox.rabbitmq.broker.RabbitNode;
import outbox.spi.Forwarder;

/** A durable queue of its own on a node that the test may kill. */
final class RabbitUnderTest implements BrokerUnderTest {
  private final RabbitNode node;
  private final String queue = "numbers-" + UUID.randomUUID();

  RabbitUnderTest(RabbitNode node) {
    this.node = node;
    declare(queue, Map.of());
  }

  String queue() {
    return queue;
  }

  @Override
  public Forwarder forwarder(Duration lease) {
    return RabbitForwarder.builder(node.connections())
        .routingKey(event -> queue)
        .leaseDuration(lease)
        .pause(Duration.ofMillis(500))
        .build();
  }

  @Override
  public List<Arrival> arrivals() {
    List<Arrival> all = new ArrayList<>();
    on(
        channel -> {
          for (GetResponse got = channel.basicGet(queue, true);
              got != null;
              got = channel.basicGet(queue, true)) {
            all.add(
                new Arrival(
                    got.getProps().getMessageId(),
                    String.valueOf(got.getProps().getHeaders().get("outbox-aggregate-id")),
                    new String(got.getBody(), StandardCharsets.UTF_8)));
          }
        });
    return all;
  }

  @Override
  public void kill() {
    node.kill();
  }

  @Override
  public void restart() {
    node.restart();
  }

  @Override
  public void freeze() {
    node.freeze();
  }

  @Override
  public void thaw() {
    node.thaw();
  }

  /** A queue that is full refuses messages. */
  @Override
  public void refuse() {
    node.control(
        "set_policy",
        queue,
        "^" + queue + "$",
        "{\"max-length\":0,\"overflow\":\"reject-publish\"}");
  }

  @Override
  public void accept() {
    node.control("clear_policy", queue);
  }

  /** The broker lacks memory for a while, and blocks its publishers. */
  @Override
  public void throttle() {
    node.control("set_vm_memory_high_watermark", "absolute", "1MB");
    Thread relief =
        new Thread(() -> node.control("set_vm_memory_high_watermark", "0.4"), "memory-relief");
    relief.start();
  }

  @Override
  public int tooLarge() {
    return 1_000_001;
  }

  void declare(String name, Map<String, Object> arguments) {
    on(channel -> channel.queueDeclare(name, true, false, false, new HashMap<>(arguments)));
  }

  void on(Use use) {
    try (Connection connection = node.connections().newConnection();
        Channel channel = connection.createChannel()) {
      use.with(channel);
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {}

  /** Something to do with a channel. */
  interface Use {
    void with(Channel channel) throws IOException;
  }
}
