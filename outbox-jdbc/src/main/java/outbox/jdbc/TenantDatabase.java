package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import outbox.routing.OutboxDatabase;
import outbox.spi.ConnectionProvider;

/** One database of many: how its connections are opened. Thread-safe. */
final class TenantDatabase {
  private final String identifier;
  private final ConnectionProvider connections;
  private final JdbcOutboxRepository events;
  private final ReentrantLock deploying = new ReentrantLock();
  private volatile boolean schemaPending;
  private volatile boolean closed;

  TenantDatabase(OutboxDatabase database, JdbcOutboxRepository events, boolean createSchema) {
    this.identifier = database.identifier();
    DataSource given = database.dataSource();
    this.connections = given != null ? given::getConnection : UrlConnections.of(database);
    this.events = events;
    this.schemaPending = createSchema;
  }

  /** A new connection; before the first, what is missing of the schema is created if asked for. */
  Connection open() throws SQLException {
    if (schemaPending) {
      deployOnce();
    }
    Connection connection = connections.getConnection();
    if (!connection.getAutoCommit()) {
      connection.setAutoCommit(true);
    }
    return connection;
  }

  /** The lock is held until the schema is there: who comes second cannot do without it. */
  private void deployOnce() {
    deploying.lock();
    try {
      if (schemaPending) {
        events.deploySchema(connections);
        schemaPending = false;
      }
    } finally {
      deploying.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return identifier;
  }
}
