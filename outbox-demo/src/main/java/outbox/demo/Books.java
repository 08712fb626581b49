package outbox.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;

/**
 * What the database itself says.
 *
 * @param orders the ids in the table orders
 * @param events the rows of outbox_event by event id
 */
record Books(Set<String> orders, Map<String, Row> events) {

  /** One row of outbox_event. */
  record Row(String orderId, EventStatus status, @Nullable String lastError) {}

  static Books read(DataSource dataSource) throws SQLException {
    Set<String> orders = new HashSet<>();
    Map<String, Row> events = new HashMap<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery("SELECT order_id FROM orders")) {
        while (rows.next()) {
          orders.add(rows.getString(1));
        }
      }
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT event_id, aggregate_id, status, last_error FROM outbox_event")) {
        while (rows.next()) {
          events.put(
              rows.getString(1),
              new Row(rows.getString(2), EventStatus.ofCode(rows.getInt(3)), rows.getString(4)));
        }
      }
    }
    return new Books(orders, events);
  }

  int count(EventStatus status) {
    return (int) events.values().stream().filter(row -> row.status() == status).count();
  }

  int pending() {
    return count(EventStatus.NEW) + count(EventStatus.RETRY);
  }

  /** The last error of some dead event. */
  String deadError() {
    return events.values().stream()
        .filter(row -> row.status() == EventStatus.DEAD)
        .map(Row::lastError)
        .filter(Objects::nonNull)
        .findAny()
        .orElse("without an error");
  }
}
