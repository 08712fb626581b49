package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Creates the table of the inbox. Nothing happens unless {@link #deploy} is called; those who
 * deploy their schema by other means take {@link #script}. Thread-safe.
 */
public final class InboxSchema {
  static final TableName DEFAULT_TABLE = TableName.of("outbox_inbox");

  private final ConnectionProvider connections;
  private final TableName table;

  private InboxSchema(ConnectionProvider connections, TableName table) {
    this.connections = connections;
    this.table = table;
  }

  /** The schema with the default table, {@code outbox_inbox}. */
  public static InboxSchema of(DataSource dataSource) {
    return of(requireNonNull(dataSource, "dataSource")::getConnection);
  }

  static InboxSchema of(ConnectionProvider connections) {
    return new InboxSchema(connections, DEFAULT_TABLE);
  }

  /** The same for another table: a name, or a schema and a name with a dot between. */
  public InboxSchema tableName(String tableName) {
    return new InboxSchema(connections, TableName.of(tableName));
  }

  /** Creates what is missing. May be called any number of times, by several nodes at once. */
  public void deploy() {
    try (SchemaSession session = SchemaSession.open(connections, table)) {
      session.inTransaction(locked -> locked.execute(statements(locked.dialect(), table)));
    } catch (SQLException e) {
      throw new StoreException("schema of " + table + " could not be deployed", e);
    }
  }

  /** All statements that {@link #deploy} runs on a database of this product. */
  public String script() {
    try (Connection conn = connections.getConnection()) {
      return statements(Dialects.of(conn), table).stream()
          .map(sql -> sql + ";\n")
          .collect(Collectors.joining("\n"));
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }

  /**
   * Checks that the table is there.
   *
   * @throws IllegalStateException if it is not, with the way out
   */
  static void require(Connection conn, Statements inbox) {
    if (SchemaVersion.columns(conn, inbox, inbox.table()).isEmpty()) {
      throw new IllegalStateException(
          "table " + inbox.table() + " is missing; run InboxSchema.of(dataSource).deploy()");
    }
  }

  static List<String> statements(Dialect dialect, TableName table) {
    return SqlFile.script("schema/" + dialect.schemaFolder() + "/inbox.sql").stream()
        .map(sql -> sql.replace("{table}", table.toString()).replace("{name}", table.name()))
        .toList();
  }
}
