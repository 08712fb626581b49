package outbox.chaos.scenario;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool with the default timeouts that counts how often a connection was taken from it. */
final class CountingPool extends HikariDataSource {
  private final AtomicInteger taken = new AtomicInteger();

  CountingPool(String url, int size) {
    super(config(url, size));
  }

  private static HikariConfig config(String url, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(size);
    return config;
  }

  int taken() {
    return taken.get();
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    taken.incrementAndGet();
    return connection;
  }
}
