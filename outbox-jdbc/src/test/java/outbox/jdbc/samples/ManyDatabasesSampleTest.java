package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.OutboxHandler;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutboxes;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxRouter;

class ManyDatabasesSampleTest {
  private final Broker broker = new Broker();

  @Test
  @Spec({"OBX-060", "OBX-066", "OBXU-05"})
  void fixedDatabases() {
    DataSource dataSourceOfA = dataSource(url("a"));
    String urlOfB = url("b");
    // region many-databases
    try (JdbcOutboxes outboxes =
        JdbcOutboxes.builder()
            .database("tenant-a", dataSourceOfA)
            .database("tenant-b", urlOfB, "sa", "")
            .createSchema()
            .maxConnections(40)
            .listener("order.created", event -> broker.send(event.eventId(), event.payloadJson()))
            .start()) {

      outboxes.getOutbox("tenant-a").enqueue("order.created", "{\"orderId\":42}");
      outboxes.getOutbox("tenant-b").enqueue("order.created", "{\"orderId\":43}"); // filled in
      await().atMost(Duration.ofSeconds(30)).until(() -> broker.sent.size() == 2); // filled in
    }
    // endregion
    assertThat(broker.sent).containsValues("{\"orderId\":42}", "{\"orderId\":43}");
  }

  @Test
  @Spec({"OBX-069", "OBXU-05"})
  void discoveredDatabases() {
    List<Tenant> tenants = List.of(new Tenant("c", url("c")), new Tenant("d", url("d")));
    // region discovered-databases
    OutboxDatabaseDiscovery discovery =
        () ->
            tenants.stream()
                .map(tenant -> OutboxDatabase.of(tenant.name(), tenant.url(), "sa", ""))
                .toList();

    JdbcOutboxes outboxes =
        JdbcOutboxes.builder()
            .discovery(discovery)
            .discoveryInterval(Duration.ofMinutes(1))
            .createSchema()
            .listener("order.created", event -> broker.send(event.eventId(), event.payloadJson()))
            .start();
    // endregion
    outboxes.getOutbox("d").enqueue("order.created", "{}");
    await().atMost(Duration.ofSeconds(30)).until(() -> broker.sent.size() == 1);
    outboxes.close();
  }

  @Test
  @Spec("OBXU-12")
  void ordersOfTenants() {
    List<OutboxDatabase> tenants = List.of(OutboxDatabase.of("acme", url("acme"), "sa", ""));
    Broker orders = broker;
    // region tenant-orders
    class OrderService {
      private final OutboxRouter router;

      OrderService(OutboxRouter router) {
        this.router = router;
      }

      void createOrder(String tenantId, String orderId, String orderJson) {
        router
            .getOutbox(tenantId)
            .enqueue("order.created", orderJson, facts -> facts.correlationId(orderId));
      }
    }

    JdbcOutboxes outboxes =
        JdbcOutboxes.builder()
            .discovery(() -> tenants)
            .discoveryInterval(Duration.ofMinutes(5))
            .createSchema()
            .handler(
                OutboxHandler.of(
                    "order.created",
                    (message, context) ->
                        orders.send(message.messageId().value(), message.payload())))
            .start();
    // endregion
    new OrderService(outboxes).createOrder("acme", "42", "{\"orderId\":42}");
    await().atMost(Duration.ofSeconds(30)).until(() -> broker.sent.size() == 1);
    outboxes.close();
    assertThat(broker.sent).containsValue("{\"orderId\":42}");
  }

  @Test
  void settingsThatContradictEachOtherAreRefused() {
    assertThatThrownBy(() -> JdbcOutboxes.builder().start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no database");
    assertThatThrownBy(
            () ->
                JdbcOutboxes.builder()
                    .database("a", url("a"), "sa", "")
                    .discovery(List::of)
                    .start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("discovery");
    assertThatThrownBy(() -> JdbcOutboxes.builder().maxConnections(2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxConnections (2)");
  }

  private record Tenant(String name, String url) {}

  private static String url(String name) {
    return "jdbc:h2:mem:sample-" + name + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
  }

  private static DataSource dataSource(String url) {
    JdbcDataSource source = new JdbcDataSource();
    source.setUrl(url);
    source.setUser("sa");
    return source;
  }

  /** Stands for the application's message broker. */
  private static final class Broker {
    final Map<String, String> sent = new ConcurrentHashMap<>();

    void send(String messageId, @Nullable String body) {
      sent.put(messageId, String.valueOf(body));
    }
  }
}
