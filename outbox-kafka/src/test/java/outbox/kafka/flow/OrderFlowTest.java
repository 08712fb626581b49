package outbox.kafka.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.kafka.broker.KafkaBroker;

/** Service A's transaction, outbox, Kafka, inbox, service B's transaction: each order once. */
@Tag("slow")
@Timeout(1800)
class OrderFlowTest {
  private static final boolean FULL = "full".equals(System.getProperty("outbox.chaos"));
  private static final int ORDERS = FULL ? 100_000 : 2_000;
  private static final int ROUNDS = FULL ? 5 : 1;
  private static final Duration PATIENCE = Duration.ofMinutes(FULL ? 25 : 4);

  @Test
  void eachOrderHasItsEffectOnceWhileEverythingIsKilledInTurn() throws Exception {
    try (TestDatabase orders = TestDatabase.create(Product.POSTGRES_NEWEST);
        TestDatabase bills = TestDatabase.create(Product.POSTGRES_NEWEST);
        KafkaBroker broker = KafkaBroker.start()) {
      OutboxSchema.of(orders.dataSource()).deploy();
      orders.execute("CREATE TABLE orders (id INT PRIMARY KEY)");
      InboxSchema.of(bills.dataSource()).deploy();
      bills.execute("CREATE TABLE bill (order_id INT, trace VARCHAR(60))");
      try (ServiceProcess a =
              new ServiceProcess(
                  OrderService.class,
                  orders.url(),
                  broker.address(),
                  "orders",
                  Integer.toString(ORDERS));
          ServiceProcess b =
              new ServiceProcess(BillingService.class, bills.url(), broker.address(), "orders")) {
        killInTurn(a, b, broker, bills);
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(500))
            .until(() -> count(bills, "SELECT COUNT(DISTINCT order_id) FROM bill") == ORDERS);
      }
      assertThat(count(bills, "SELECT COUNT(*) FROM bill")).isEqualTo(ORDERS);
      assertThat(count(orders, "SELECT COUNT(*) FROM outbox_event WHERE status = 3")).isZero();
      assertThat(count(bills, "SELECT COUNT(*) FROM outbox_inbox WHERE status = 3")).isZero();
      assertThat(traces(bills))
          .allSatisfy((order, trace) -> assertThat(trace).isEqualTo(Flow.trace(order)));
    }
  }

  /** Spread over the run: after each share of the bills another part of the system is killed. */
  private static void killInTurn(
      ServiceProcess a, ServiceProcess b, KafkaBroker broker, TestDatabase bills) {
    List<Runnable> kills =
        List.of(
            a::killAndRestart,
            b::killAndRestart,
            () -> {
              broker.kill();
              broker.restart();
            });
    int all = ROUNDS * kills.size();
    for (int n = 0; n < all; n++) {
      int reached = ORDERS * n / (all + 1) + 1;
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> count(bills, "SELECT COUNT(*) FROM bill") >= reached);
      kills.get(n % kills.size()).run();
    }
  }

  private static int count(TestDatabase database, String query) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getInt(1);
    }
  }

  private static Map<Integer, String> traces(TestDatabase bills) throws SQLException {
    Map<Integer, String> traces = new HashMap<>();
    try (Connection connection = bills.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT order_id, trace FROM bill")) {
      while (rows.next()) {
        traces.put(rows.getInt(1), rows.getString(2));
      }
    }
    return traces;
  }
}
