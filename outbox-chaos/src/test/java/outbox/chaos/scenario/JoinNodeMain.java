package outbox.chaos.scenario;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.TestDatabase;

/**
 * A process of its own that handles steps and continuations of joins with four workers, until its
 * input ends.
 */
final class JoinNodeMain {
  static final String STEP = "step";
  static final String WENT_WELL = "went-well";
  static final String WENT_WRONG = "went-wrong";
  static final String FAILING = "fail";

  private static final int WORKERS = 4;
  private static final Duration LEASE = Duration.ofSeconds(3);

  private JoinNodeMain() {}

  public static void main(String[] arguments) throws Exception {
    try (HikariDataSource pool = TestDatabase.pool(arguments[1]);
        JdbcOutbox outbox = outbox(pool, arguments[0])) {
      outbox.dispatcher().wakePollers();
      while (System.in.read() >= 0) {
        // Nothing to be told: the end of the input is the sign to close.
      }
    }
  }

  private static JdbcOutbox outbox(HikariDataSource pool, String name) {
    return JdbcOutbox.builder(pool)
        .node(name)
        .config(
            new OutboxConfig()
                .setDispatcherWorkers(WORKERS)
                .setLeaseDuration(LEASE)
                .setPollerIntervalMs(NodeSettings.POLL_INTERVAL.toMillis()))
        .joins()
        .handler(
            STEP,
            (message, context) -> {
              if (message.payload().equals(FAILING)) {
                throw new PermanentFailureException("this step fails");
              }
            })
        .handler(WENT_WELL, (message, context) -> {})
        .handler(WENT_WRONG, (message, context) -> {})
        .start();
  }
}
