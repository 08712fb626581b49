package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * Creates and upgrades the outbox table and its stored routines. Nothing happens unless {@link
 * #deploy} is called; those who deploy their schema by other means take {@link #script}.
 * Thread-safe.
 */
public final class OutboxSchema {
  private static final List<String> VERSIONS = 
      List.of("V1__framework", "V2__leases", "V3__idempotency");

  private final ConnectionProvider connections;
  private final TableName table;
  private final @Nullable JoinTables joins;

  private OutboxSchema(
      ConnectionProvider connections, TableName table, @Nullable JoinTables joins) {
    this.connections = connections;
    this.table = table;
    this.joins = joins;
  }

  /** The schema with the default table, {@code outbox_event}. */
  public static OutboxSchema of(DataSource dataSource) {
    return of(requireNonNull(dataSource, "dataSource")::getConnection);
  }

  static OutboxSchema of(ConnectionProvider connections) {
    return new OutboxSchema(connections, TableName.DEFAULT, null);
  }

  /** The same for another table: a name, or a schema and a name with a dot between. */
  public OutboxSchema tableName(String tableName) {
    return new OutboxSchema(connections, TableName.of(tableName), joins);
  }

  /** The same with the tables of joins: {@code outbox_join}, with its steps and its waits. */
  public OutboxSchema withJoins() {
    return new OutboxSchema(connections, table, JoinTables.DEFAULT);
  }

  /** The same with tables of joins that begin with another name than {@code outbox_join}. */
  public OutboxSchema withJoins(String joinTableName) {
    return new OutboxSchema(connections, table, JoinTables.of(joinTableName));
  }

  /**
   * Creates what is missing. A new table comes without the remains of version 1; an existing one
   * keeps them, so that nodes of version 1 can go on until {@link #finalizeUpgrade}. Stored
   * routines that differ from this library's are replaced, unless a newer version of the schema
   * came with them. May be called any number of times, by several nodes at once.
   */
  public void deploy() {
    locked(
        (conn, statements) -> {
          int recorded = SchemaVersion.recorded(conn, statements);
          if (recorded < VERSIONS.size()) {
            upgrade(conn, statements, recorded);
          }
          if (recorded <= VERSIONS.size()) {
            Routines.of(statements.dialect(), table).deploy(conn);
          }
        });
    if (joins != null) {
      deployJoins(joins);
    }
  }

  private void deployJoins(JoinTables joins) {
    locked(
        (conn, statements) -> {
          for (String sql : joins.schema(statements.dialect(), table)) {
            execute(conn, sql);
          }
        });
  }

  private void upgrade(Connection conn, Statements statements, int recorded) throws SQLException {
    int before = SchemaVersion.installed(conn, statements);
    run(conn, statements, "versions");
    for (int version = 1; version <= VERSIONS.size(); version++) {
      if (version > before) {
        run(conn, statements, VERSIONS.get(version - 1));
      }
      if (version > recorded) {
        execute(conn, recordOf(version));
      }
    }
    if (before == 0) {
      run(conn, statements, "finalize");
    }
  }

  /**
   * Drops what only version 1 used, its payload column and its index. To be called after an upgrade
   * from version 1, once no node of that version runs any more.
   */
  public void finalizeUpgrade() {
    deploy();
    locked(
        (conn, statements) -> {
          if (SchemaVersion.columns(conn, statements, table).contains("payload")) {
            run(conn, statements, "finalize");
          }
        });
  }

  /** The version that the database has: 0 if there is no table yet. */
  public int version(Connection conn) {
    return SchemaVersion.installed(conn, statements(conn));
  }

  /** All statements that {@link #deploy} runs on an empty database of this product. */
  public String script() {
    try (Connection conn = connections.getConnection()) {
      Dialect dialect = Dialects.of(conn);
      String script = script(dialect, table);
      return joins == null
          ? script
          : script + "\n" + scriptOf(dialect, joins.schema(dialect, table));
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }

  static String script(Dialect dialect, TableName table) {
    return scriptOf(dialect, freshStatements(dialect, table));
  }

  private static String scriptOf(Dialect dialect, List<String> statements) {
    return statements.stream()
        .map(sql -> sql + dialect.statementEnd())
        .collect(Collectors.joining())
        .stripTrailing()
        .concat("\n");
  }

  static List<String> freshStatements(Dialect dialect, TableName table) {
    List<String> all = new ArrayList<>(dialect.schemaSettings());
    all.addAll(statementsOf(dialect, table, "versions"));
    for (int version = 1; version <= VERSIONS.size(); version++) {
      all.addAll(statementsOf(dialect, table, VERSIONS.get(version - 1)));
      all.add("INSERT INTO " + table.versions() + " (version) VALUES (" + version + ")");
    }
    all.addAll(statementsOf(dialect, table, "finalize"));
    all.addAll(Routines.of(dialect, table).definitions());
    return all;
  }

  private static List<String> statementsOf(Dialect dialect, TableName table, String script) {
    return SqlFile.script("schema/" + dialect.schemaFolder() + "/" + script + ".sql").stream()
        .map(
            sql ->
                sql.replace("{table}", table.toString())
                    .replace("{name}", table.name())
                    .replace("{schema}", table.schemaPrefix())
                    .replace("{status_index}", table.statusIndex()))
        .toList();
  }

  private void run(Connection conn, Statements statements, String script) throws SQLException {
    for (String sql : statementsOf(statements.dialect(), table, script)) {
      execute(conn, sql);
    }
  }

  private String recordOf(int version) {
    return "INSERT INTO " + table.versions() + " (version) VALUES (" + version + ")";
  }

  private static void execute(Connection conn, String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Runs the change alone, in one transaction if the database has any for its schema. */
  void locked(Change change) {
    try (Connection conn = connections.getConnection()) {
      Statements statements = statements(conn);
      int tries = statements.dialect().schemaTries();
      for (int left = tries - 1; ; left--) {
        try {
          lockedOnce(conn, statements, change);
          return;
        } catch (SQLException | StoreException e) {
          if (left == 0) {
            throw e;
          }
        }
      }
    } catch (SQLException e) {
      throw new StoreException("schema of " + table + " could not be deployed", e);
    }
  }

  private void lockedOnce(Connection conn, Statements statements, Change change)
      throws SQLException {
    Dialect dialect = statements.dialect();
    String key = "outbox schema " + table;
    boolean autoCommit = conn.getAutoCommit();
    conn.setAutoCommit(false);
    try {
      for (String setting : dialect.schemaSettings()) {
        execute(conn, setting);
      }
      dialect.lockSchema(conn, key);
      change.apply(conn, statements);
      conn.commit();
    } catch (SQLException | RuntimeException e) {
      rollBack(conn, autoCommit, e);
      throw e;
    } finally {
      dialect.unlockSchema(conn, key);
    }
    conn.setAutoCommit(autoCommit);
  }

  private static void rollBack(Connection conn, boolean autoCommit, Exception cause) {
    try {
      conn.rollback();
      conn.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private Statements statements(Connection conn) {
    return new Statements(Dialects.of(conn), table, null);
  }

  @FunctionalInterface
  interface Change {
    void apply(Connection conn, Statements statements) throws SQLException;
  }
}
