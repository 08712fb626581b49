package outbox.chaos.scenario;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;

/** Counts, over and over, how many sessions an application has on a server. */
final class SessionWatch implements AutoCloseable {
  private static final long PERIOD_NANOS = 20_000_000L;

  private final Connection connection;
  private final Thread thread = new Thread(this::watch, "session-watch");
  private volatile int most;
  private volatile boolean closed;

  SessionWatch(TenantServer server) throws SQLException {
    this.connection = server.connect("postgres");
    thread.setDaemon(true);
    thread.start();
  }

  int most() {
    return most;
  }

  private void watch() {
    String sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, TenantServer.APPLICATION);
      while (!closed) {
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          most = Math.max(most, row.getInt(1));
        }
        LockSupport.parkNanos(PERIOD_NANOS);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws SQLException {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connection.close();
  }
}
