package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.sql.DataSource;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.model.EventStatus;

/** Reads rows without the store. */
final class EventRow {
  private EventRow() {}

  static Optional<Row> find(DataSource dataSource, String eventId) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT * FROM outbox_event WHERE event_id = ?")) {
      statement.setString(1, eventId);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(read(Dialects.of(connection), row)) : Optional.empty();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Those of a query that names its columns as the outbox does. */
  static Map<String, Row> all(DataSource dataSource, String query) throws SQLException {
    Map<String, Row> rows = new TreeMap<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(query);
        ResultSet row = statement.executeQuery()) {
      Dialect dialect = Dialects.of(connection);
      while (row.next()) {
        rows.put(row.getString("event_id"), read(dialect, row));
      }
    }
    return rows;
  }

  /** The columns in which the row has a payload; version 1's is one of them while it is there. */
  static Set<String> payloads(DataSource dataSource, String eventId) {
    Set<String> columns = new TreeSet<>();
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT * FROM outbox_event WHERE event_id = ?")) {
      statement.setString(1, eventId);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          String column = row.getMetaData().getColumnName(i).toLowerCase(Locale.ROOT);
          if (column.startsWith("payload") && row.getObject(i) != null) {
            columns.add(column);
          }
        }
      }
      return columns;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Row read(Dialect dialect, ResultSet row) throws SQLException {
    return new Row(
        EventStatus.ofCode(row.getInt("status")),
        row.getInt("attempts"),
        requireNonNull(dialect.getInstant(row, "available_at")),
        requireNonNull(dialect.getInstant(row, "created_at")),
        dialect.getInstant(row, "done_at"),
        row.getString("owner_token"),
        row.getInt("lease_expiries"),
        row.getString("processed_by"),
        row.getString("last_error"),
        row.getString("idempotency_key"),
        row.getString("listeners"));
  }
}
