package outbox.chaos.scenario;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * Version 1, frozen: the table and the statements of the framework specification, word by word but
 * for the names of types, and nothing of this library.
 */
final class OldVersion {
  static final String INSERT =
      "INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id,"
          + " tenant_id, payload, headers, status, attempts, available_at, created_at)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)";
  static final String MARK_DONE =
      "UPDATE outbox_event SET status = 1, done_at = ? WHERE event_id = ? AND status <> 1";
  static final String POLL_PENDING =
      "SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id,"
          + " payload, headers, attempts, created_at FROM outbox_event"
          + " WHERE status IN (0, 2) AND available_at <= ? AND created_at <= ?"
          + " ORDER BY created_at LIMIT ?";

  private static final String TABLE =
      """
      CREATE TABLE outbox_event (
        event_id VARCHAR(36) PRIMARY KEY,
        event_type VARCHAR(128) NOT NULL,
        aggregate_type VARCHAR(64),
        aggregate_id VARCHAR(128),
        tenant_id VARCHAR(64),
        payload JSON NOT NULL,
        headers JSON,
        status TINYINT NOT NULL,
        attempts INT NOT NULL DEFAULT 0,
        available_at DATETIME(6) NOT NULL,
        created_at DATETIME(6) NOT NULL,
        done_at DATETIME(6),
        last_error TEXT
      )""";
  private static final String INDEX =
      "CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)";

  private OldVersion() {}

  static boolean isPostgres(TestDatabase database) {
    return !database.product().isInnoDb();
  }

  /** The table with so many events that are handled, not long enough ago for retention. */
  static void create(TestDatabase database, int rows) throws SQLException {
    boolean postgres = isPostgres(database);
    String table =
        postgres ? TABLE.replace("TINYINT", "SMALLINT").replace("DATETIME", "TIMESTAMPTZ") : TABLE;
    String numbers = numbers(database.product(), rows);
    String id = postgres ? "lpad(CAST(seq AS text), 26, '0')" : "LPAD(seq, 26, '0')";
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(table);
      statement.execute(INDEX);
      statement.execute(
          "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
              + " created_at, done_at) SELECT "
              + id
              + ", 'Done', '{\"order\":1,\"note\":\"handled long ago\"}', 1, CURRENT_TIMESTAMP,"
              + " CURRENT_TIMESTAMP, CURRENT_TIMESTAMP FROM "
              + numbers);
    }
  }

  /** A table with the column seq. */
  private static String numbers(Product product, int rows) {
    return switch (product) {
      case MARIADB -> "seq_1_to_" + rows;
      case MYSQL ->
          "JSON_TABLE(CONCAT('[', REPEAT('0,', "
              + (rows - 1)
              + "), '0]'), '$[*]' COLUMNS (seq FOR ORDINALITY)) AS numbers";
      default -> "generate_series(1, " + rows + ") AS seq";
    };
  }

  static void insert(Connection connection, boolean postgres, String eventId, Instant now)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      int json = postgres ? Types.OTHER : Types.VARCHAR;
      insert.setString(1, eventId);
      insert.setString(2, Publishers.EVENT_TYPE);
      insert.setString(3, "Order");
      insert.setString(4, "1");
      insert.setString(5, null);
      insert.setObject(6, "{\"order\":1}", json);
      insert.setObject(7, "{}", json);
      setInstant(insert, 8, now, postgres);
      setInstant(insert, 9, now, postgres);
      insert.executeUpdate();
    }
  }

  /** In UTC, whatever the zones of session and JVM are. */
  static void setInstant(PreparedStatement statement, int index, Instant value, boolean postgres)
      throws SQLException {
    statement.setObject(
        index,
        postgres
            ? OffsetDateTime.ofInstant(value, ZoneOffset.UTC)
            : LocalDateTime.ofInstant(value, ZoneOffset.UTC));
  }
}
