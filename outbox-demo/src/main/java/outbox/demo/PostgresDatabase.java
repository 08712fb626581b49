package outbox.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A PostgreSQL server of the demo's own, in a temporary directory. */
final class PostgresDatabase implements Database {
  private static final int POOL_SIZE = 12;

  private final EmbeddedPostgres server;
  private final String url;
  private final HikariDataSource pool;
  private final String name;

  private PostgresDatabase(EmbeddedPostgres server) throws SQLException {
    this.server = server;
    this.url = server.getJdbcUrl("postgres", "postgres");
    this.pool = Pools.open(url, POOL_SIZE);
    try (Connection connection = pool.getConnection()) {
      this.name = "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
    }
  }

  /** Ends with the process, if it is not closed before. */
  static PostgresDatabase start() {
    return start(EmbeddedPostgres.builder());
  }

  /** Outlives an interrupt, so that what uses it can end in order; to be closed. */
  static PostgresDatabase startUntilClosed() {
    return start(EmbeddedPostgres.builder().setRegisterShutdownHook(false));
  }

  private static PostgresDatabase start(EmbeddedPostgres.Builder builder) {
    try {
      return new PostgresDatabase(builder.start());
    } catch (IOException | SQLException | RuntimeException e) {
      throw new DatabaseUnavailableException(
          "the embedded PostgreSQL does not start here ("
              + e.getMessage()
              + "); try --h2, which needs no server process",
          e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DataSource dataSource() {
    return pool;
  }

  @Override
  public SecondNode startSecondNode(int orders, DoomedNode.Witness witness) throws IOException {
    return NodeProcess.start(url, orders, witness);
  }

  @Override
  public void close() throws IOException {
    pool.close();
    server.close();
  }
}
