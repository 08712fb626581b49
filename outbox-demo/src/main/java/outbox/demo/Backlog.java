package outbox.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** The events that the database holds for delivery, be they leased or not. Thread-safe. */
final class Backlog {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LOOK_AGAIN_MILLIS = 25;

  private final DataSource dataSource;

  Backlog(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  long size() {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)")) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException("the backlog cannot be counted: " + e.getMessage(), e);
    }
  }

  /** Waits until nothing is pending; gives up after a minute, and the account will show it. */
  void awaitEmpty() throws InterruptedException {
    await(() -> size() == 0);
  }

  /** Waits for a condition; returns false if it did not come true within a minute. */
  static boolean await(BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
    }
    return true;
  }
}
