package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import outbox.model.EventStatus;
import outbox.testing.EventStoreContract.Row;

/** Reads a row without the store. */
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
        row.getString("last_error"));
  }
}
