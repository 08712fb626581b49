package outbox.jdbc.schema;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.SchemaScripts;
import outbox.jdbc.internal.schema.SchemaSession;
import outbox.jdbc.internal.schema.ScriptedTable;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Creates the table of the inbox, or adds the columns and indexes that an older one lacks. Nothing
 * happens unless {@link #deploy} is called; for other ways of deployment, {@link SchemaScript} has
 * the script. Thread-safe.
 */
public final class InboxSchema {
  /** There has been one version so far. */
  private static final int VERSION = 1;

  private final ConnectionProvider connections;
  private final TableName table;

  private InboxSchema(ConnectionProvider connections, TableName table) {
    this.connections = connections;
    this.table = table;
  }

  /** Returns the schema with the default table, {@code outbox_inbox}. */
  public static InboxSchema of(DataSource dataSource) {
    return of(requireNonNull(dataSource, "dataSource")::getConnection);
  }

  /** Returns the schema with the default table. Each connection is closed after its use. */
  public static InboxSchema of(ConnectionProvider connections) {
    requireNonNull(connections, "connections");
    return new InboxSchema(connections, TableName.DEFAULT_INBOX);
  }

  /** Changes the table: a name, or a schema and a name with a dot between them. */
  public InboxSchema tableName(String tableName) {
    return new InboxSchema(connections, TableName.of(tableName));
  }

  /** Creates what is missing. May be called any number of times, by several nodes at once. */
  public void deploy() {
    try (SchemaSession session = SchemaSession.open(connections, table)) {
      session.inTransaction(
          locked -> locked.execute(completion(locked.connection(), locked.dialect())));
    } catch (SQLException e) {
      throw new StoreException("schema of " + table + " could not be deployed", e);
    }
  }

  /** Returns the script that {@link #deploy} would run on this database, as it is now. */
  public String script() {
    try (Connection conn = connections.getConnection()) {
      Dialect dialect = Dialects.of(conn);
      SchemaScripts scripts = new SchemaScripts(dialect, table);
      return check(conn, table).version() == 0
          ? scripts.inbox()
          : scripts.text(completion(conn, dialect));
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }

  private List<String> completion(Connection conn, Dialect dialect) {
    return ScriptedTable.completion(new SchemaScripts(dialect, table).inbox(), conn, dialect);
  }

  /** Compares what is there with what is needed. Changes nothing. */
  public SchemaStatus check() {
    try (Connection conn = connections.getConnection()) {
      return check(conn, table);
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }

  private static SchemaStatus check(Connection conn, TableName table) {
    Dialect dialect = Dialects.of(conn);
    List<String> missing =
        ScriptedTable.missing(new SchemaScripts(dialect, table).inbox(), conn, dialect);
    int version = missing.contains("table " + table) ? 0 : VERSION;
    return new SchemaStatus(table.toString(), version, VERSION, missing, true, false);
  }

  /**
   * Checks that the table is there, with all columns and indexes. Changes nothing.
   *
   * @throws UnusableSchemaException if it is not, with what is missing and the way out
   */
  public void require() {
    SchemaStatus status = check();
    if (!status.isUsable()) {
      String name = table.equals(TableName.DEFAULT_INBOX) ? "" : ".tableName(\"" + table + "\")";
      throw new UnusableSchemaException(
          status, " --inbox", "InboxSchema.of(dataSource)" + name, false);
    }
  }
}
