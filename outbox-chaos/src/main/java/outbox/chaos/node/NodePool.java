package outbox.chaos.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import outbox.internal.connection.ConnectionProxy;

/**
 * The pool of a node: impatient, and able to halt the process between a commit and whatever follows
 * it.
 */
final class NodePool extends HikariDataSource {
  private final CrashPoint afterCommit;

  NodePool(String url, int size, CrashPoint afterCommit) {
    super(config(url, size));
    this.afterCommit = afterCommit;
  }

  private static HikariConfig config(String url, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(1000);
    config.setValidationTimeout(500);
    config.setInitializationFailTimeout(-1);
    return config;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    return afterCommit.isArmed() ? halting(connection) : connection;
  }

  private Connection halting(Connection target) {
    return ConnectionProxy.of(
        (proxy, method, arguments) -> {
          Object result = ConnectionProxy.forward(target, method, arguments);
          if (method.getName().equals("commit")) {
            afterCommit.pass();
          }
          return result;
        });
  }

  /** Takes every connection that it gets, and gives them back after a while. */
  void exhaust(Duration howLong) {
    List<Connection> taken = new ArrayList<>();
    long end = System.nanoTime() + howLong.toNanos();
    while (System.nanoTime() < end) {
      try {
        taken.add(super.getConnection());
      } catch (SQLException e) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    for (Connection connection : taken) {
      try {
        connection.close();
      } catch (SQLException e) {
        System.out.println("a connection could not be given back: " + e);
      }
    }
  }
}
