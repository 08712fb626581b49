package outbox.jdbc.internal.schema;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import outbox.internal.util.Pause;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/**
 * A connection with the exclusive right to change the schema of one table, in auto-commit mode.
 * Another node polls for the right instead of waiting in the database: a session that waits there
 * holds a snapshot, and a concurrent index build waits for every snapshot.
 */
public final class SchemaSession implements AutoCloseable {
  private static final Logger LOG = System.getLogger("outbox.jdbc.SchemaSession");
  private static final Duration ASK_AGAIN = Duration.ofMillis(200);

  private final Connection conn;
  private final Dialect dialect;
  private final TableName table;
  private final boolean autoCommit;
  private boolean settingsChanged;
  private boolean mayLock;

  private SchemaSession(Connection conn, TableName table) throws SQLException {
    this.conn = conn;
    this.dialect = Dialects.of(conn);
    this.table = table;
    this.autoCommit = conn.getAutoCommit();
  }

  /** Returns when no other node changes the schema of this table. */
  public static SchemaSession open(ConnectionProvider connections, TableName table)
      throws SQLException {
    Connection conn = connections.getConnection();
    SchemaSession session;
    try {
      String unused = Dialects.checkedServer(conn);
      session = new SchemaSession(conn, table);
      conn.setAutoCommit(true);
      session.await();
    } catch (SQLException | RuntimeException e) {
      conn.close();
      throw e;
    }
    try {
      session.execute(session.dialect.schemaSettings());
      return session;
    } catch (SQLException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  private void await() throws SQLException {
    for (boolean told = false; !dialect.tryLockSchema(conn, key()); told = true) {
      if (!told) {
        LOG.log(Level.INFO, "schema of {0}: waiting for another node that is changing it", table);
      }
      Pause.of(ASK_AGAIN);
    }
  }

  public void mayLock(boolean value) {
    mayLock = value;
  }

  /** Returns whether steps may make the writers of a large table wait. */
  boolean mayLock() {
    return mayLock;
  }

  public Connection connection() {
    return conn;
  }

  public Dialect dialect() {
    return dialect;
  }

  public TableName table() {
    return table;
  }

  public Statements statements() {
    return SchemaStatements.ofTable(dialect, table);
  }

  public SchemaScripts scripts() {
    return new SchemaScripts(dialect, table);
  }

  public void execute(String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }

  public void execute(List<String> statements) throws SQLException {
    for (String sql : statements) {
      execute(sql);
    }
  }

  /**
   * Runs a statement of a script in the form that disturbs other sessions least: they can write
   * meanwhile or, where the database cannot do that, wait once.
   */
  public void change(String sql) throws SQLException {
    List<String> locks = dialect.tableLocks(sql, table);
    execute(locks);
    try {
      execute(dialect.online(sql));
    } finally {
      if (!locks.isEmpty()) {
        execute(dialect.tableUnlock());
      }
    }
  }

  /** Changes settings of the session, until it is closed or its transaction ends. */
  public void set(List<String> settings) throws SQLException {
    settingsChanged |= !settings.isEmpty();
    execute(settings);
  }

  /** Runs the change in one transaction, if the database has transactions for its schema. */
  public void inTransaction(Change change) throws SQLException {
    for (int left = dialect.schemaTries() - 1; ; left--) {
      try {
        OwnTransaction.inTransaction(
            conn,
            opened -> {
              change.apply(this);
              return this;
            });
        return;
      } catch (SQLException | StoreException e) {
        if (left == 0) {
          throw e;
        }
      }
    }
  }

  @Override
  public void close() throws SQLException {
    try (conn) {
      try {
        if (settingsChanged && !conn.isClosed()) {
          execute(dialect.usualWaits());
        }
      } finally {
        dialect.unlockSchema(conn, key());
      }
      if (!conn.isClosed()) {
        conn.setAutoCommit(autoCommit);
      }
    }
  }

  private String key() {
    return "outbox schema " + table;
  }

  @FunctionalInterface
  public interface Change {
    void apply(SchemaSession session) throws SQLException;
  }
}
