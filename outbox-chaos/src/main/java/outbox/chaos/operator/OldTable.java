package outbox.chaos.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import outbox.internal.text.Ulid;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaStatus;

/** A table of version 1 beside the others, to be migrated. */
public final class OldTable {
  static final String NAME = "old_event";
  static final int ROWS = 2000;

  private OldTable() {}

  /**
   * Creates it with rows of the day before.
   *
   * @param product the folder of its schema scripts
   */
  public static void create(DataSource database, String product) throws SQLException, IOException {
    drop(database);
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : script(product).split(";", -1)) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
      fill(connection);
    }
  }

  private static String script(String product) throws IOException {
    String path = "/outbox/jdbc/schema/" + product + "/upgrade/V1__framework.sql";
    try (InputStream in = OutboxSchema.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IOException("resource " + path + " is missing");
      }
      return new String(in.readAllBytes(), UTF_8)
          .replaceAll("(?m)^--.*$", "")
          .replace("{table}", NAME)
          .replace("{status_index}", NAME + "_status");
    }
  }

  private static void fill(Connection connection) throws SQLException {
    Timestamp yesterday = Timestamp.from(Instant.now().minus(Duration.ofDays(1)));
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO old_event (event_id, event_type, payload, status, available_at, created_at)"
                + " VALUES (?, 'old', '{}', ?, ?, ?)")) {
      for (int i = 0; i < ROWS; i++) {
        insert.setString(1, Ulid.next());
        insert.setInt(2, i % 2);
        insert.setTimestamp(3, yesterday);
        insert.setTimestamp(4, yesterday);
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
    }
  }

  /** Throws unless everything is migrated and nothing is lost. */
  public static void require(DataSource database) throws SQLException {
    OutboxSchema schema = OutboxSchema.of(database).tableName(NAME);
    SchemaStatus status = schema.check();
    long keyless = schema.rowsWithoutKey();
    int rows = rows(database);
    if (!status.isUsable() || keyless > 0 || rows != ROWS) {
      throw new IllegalStateException(
          "the migrated table has "
              + rows
              + " of "
              + ROWS
              + " rows, "
              + keyless
              + " of them without a key: "
              + status.describe());
    }
  }

  private static int rows(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM old_event")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Removes it with what the migration keeps beside it. */
  public static void drop(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      for (String suffix : new String[] {"", "_schema", "_step", "_keys", "_ordered"}) {
        statement.execute("DROP TABLE IF EXISTS " + NAME + suffix);
      }
    }
  }
}
