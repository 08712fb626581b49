package outbox.kafka.flow;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.TestDatabase;
import outbox.kafka.KafkaForwarder;

/**
 * Service A: stores orders and publishes an event of each in the same transaction, until there are
 * so many: {@code OrderService url broker topic orders}. It continues where its database ends.
 */
public final class OrderService {
  private static final int PER_TRANSACTION = 20;

  private OrderService() {}

  public static void main(String[] args) throws Exception {
    DataSource database = TestDatabase.pool(args[0]);
    int orders = Integer.parseInt(args[3]);
    try (KafkaForwarder forwarder =
            KafkaForwarder.builder(Map.of("bootstrap.servers", args[1]))
                .topic(args[2])
                .leaseDuration(Flow.LEASE)
                .pause(Flow.PAUSE)
                .build();
        JdbcOutbox outbox =
            JdbcOutbox.builder(database)
                .config(new OutboxConfig().setLeaseDuration(Flow.LEASE).setPollerIntervalMs(200))
                .batchListenerOfAll(Batches.of(200), forwarder)
                .start()) {
      for (int from = count(database) + 1; from <= orders; from += PER_TRANSACTION) {
        place(outbox, from, Math.min(orders, from + PER_TRANSACTION - 1));
      }
      Awaitility.await().forever().until(() -> false);
    }
  }

  private static void place(JdbcOutbox outbox, int from, int to) throws SQLException {
    outbox.inTransaction(
        connection -> {
          List<EventEnvelope> events = new ArrayList<>();
          try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO orders (id) VALUES (?)")) {
            for (int order = from; order <= to; order++) {
              insert.setInt(1, order);
              insert.addBatch();
              events.add(
                  EventEnvelope.builder("OrderPlaced")
                      .aggregateType("order")
                      .aggregateId(Integer.toString(order))
                      .header("traceparent", Flow.trace(order))
                      .payloadJson(Integer.toString(order))
                      .build());
            }
            insert.executeBatch();
          }
          outbox.publishAll(events);
        });
  }

  private static int count(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM orders")) {
      row.next();
      return row.getInt(1);
    }
  }
}
