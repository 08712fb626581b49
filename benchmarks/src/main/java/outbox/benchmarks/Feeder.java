package outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Another process: inserts events without a lease, at a steady rate. */
final class Feeder {
  static final int RATE = 4_000;

  private static final int BATCH = 100;
  private static final String INSERT =
      """
      INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, status,
        attempts, available_at, created_at, occurred_at)
      SELECT id, id, ?, ?, 0, 0, statement_timestamp(), statement_timestamp(),
        statement_timestamp()
      FROM (SELECT ? || n AS id FROM generate_series(1, ?) AS n) AS ids""";

  private Feeder() {}

  /** Returns how many it inserted. */
  static long feed(Contestant library, DataSource pool, Duration duration) throws SQLException {
    long start = System.nanoTime();
    long step = TimeUnit.SECONDS.toNanos(BATCH) / RATE;
    long count = 0;
    try (Connection connection = pool.getConnection();
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      for (long next = 0; next < duration.toNanos(); next += step) {
        LockSupport.parkNanos(start + next - System.nanoTime());
        insert.setString(1, Payload.TYPE);
        insert.setString(2, Payload.TEXT);
        insert.setString(3, Payload.next().eventId() + "-");
        insert.setInt(4, BATCH);
        count += insert.executeUpdate();
      }
    }
    return count;
  }
}
