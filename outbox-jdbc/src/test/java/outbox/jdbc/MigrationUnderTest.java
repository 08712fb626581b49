package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.MigrationMeter;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.schema.OutboxSchema;

/** A database, and what a node of version 1 does to its table of events. */
interface MigrationUnderTest {
  /** For a migration that is not measured. */
  MigrationMeter UNMEASURED =
      new MigrationMeter() {
        @Override
        public void begin(String step) {}

        @Override
        public void rows(long done, long estimated) {}

        @Override
        public void end(long done) {}
      };

  /** How long ago no old node is suspected to have written any more. */
  Duration OLD = Duration.ofHours(1);

  TestDatabase database();

  default DataSource dataSource() {
    return database().dataSource();
  }

  default OutboxSchema schema() {
    return OutboxSchema.of(dataSource());
  }

  default void insertByVersion1(String id, Duration age) throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      Version1.insert(connection, id, "payload", null, Instant.now().minus(age));
    }
  }

  default void insert(String id, @Nullable String tenant, @Nullable String key)
      throws SQLException {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO outbox_event (event_id, event_type, tenant_id, idempotency_key,"
                    + " payload_text, status, available_at, created_at)"
                    + " VALUES (?, 'Type', ?, ?, '{}', 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)")) {
      insert.setString(1, id);
      insert.setString(2, tenant);
      insert.setString(3, key);
      insert.executeUpdate();
    }
  }

  /** By version 1, but for its key and one column, which newer versions write. */
  default void insertOld(String id, @Nullable String key, String column, @Nullable Object value)
      throws SQLException {
    insertByVersion1(id, OLD);
    try (Connection connection = dataSource().getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE outbox_event SET tenant_id = event_id, idempotency_key = ?, "
                    + column
                    + " = ? WHERE event_id = ?")) {
      update.setString(1, key);
      update.setObject(2, value);
      update.setString(3, id);
      update.executeUpdate();
    }
  }

  /** As if the table had begun as version 2. */
  default void dropPayloadOfVersion1() throws SQLException {
    for (String sql : scripts().finalization()) {
      if (sql.startsWith("DROP FUNCTION")) {
        database().execute(sql);
      }
    }
    database().execute("ALTER TABLE outbox_event DROP COLUMN payload");
  }

  default int count(String condition) throws SQLException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE " + condition)) {
      row.next();
      return row.getInt(1);
    }
  }

  default void execute(List<String> statements) {
    database().execute(statements.toArray(String[]::new));
  }

  default SchemaScripts scripts() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      return new SchemaScripts(Dialects.of(connection), TableName.DEFAULT);
    }
  }
}
