package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.SchemaScripts;

/** What a node of version 1, which knows no leases, does to the database. */
final class Version1 {
  private Version1() {}

  /** Creates the table as the framework specification has it. */
  static void create(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : new SchemaScripts(Dialects.of(connection), TableName.DEFAULT).version(1)) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Inserts by version 1's statement; a finalized table has another payload and wants a key. */
  static void insert(
      Connection connection,
      String eventId,
      String payloadColumn,
      @Nullable String headersJson,
      Instant now)
      throws SQLException {
    Dialect dialect = Dialects.of(connection);
    String json = jsonParameter(dialect);
    boolean finalized = !payloadColumn.equals("payload");
    String payload = finalized ? "?" : json;
    String sql =
        "INSERT INTO outbox_event (event_id, event_type, "
            + payloadColumn
            + ", headers, status, attempts, available_at, created_at"
            + (finalized ? ", idempotency_key" : "")
            + ") VALUES (?, 'Old', "
            + payload
            + ", "
            + json
            + ", 0, 0, ?, ?"
            + (finalized ? ", ?" : "")
            + ")";
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      insert.setString(1, eventId);
      insert.setString(2, "{\"old\":1}");
      insert.setString(3, headersJson);
      dialect.setInstant(insert, 4, now);
      dialect.setInstant(insert, 5, now);
      if (finalized) {
        insert.setString(6, eventId);
      }
      insert.executeUpdate();
    }
  }

  /** Completes by version 1's statement. */
  static void markDone(Connection connection, String eventId, Instant now) throws SQLException {
    try (PreparedStatement done =
        connection.prepareStatement(
            "UPDATE outbox_event SET status = 1, done_at = ? WHERE event_id = ? AND status <> 1")) {
      Dialects.of(connection).setInstant(done, 1, now);
      done.setString(2, eventId);
      done.executeUpdate();
    }
  }

  private static String jsonParameter(Dialect dialect) {
    return switch (dialect.product()) {
      case "PostgreSQL" -> "CAST(? AS json)";
      case "H2" -> "? FORMAT JSON";
      default -> "?";
    };
  }
}
