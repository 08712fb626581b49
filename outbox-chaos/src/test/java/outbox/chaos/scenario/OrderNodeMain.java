package outbox.chaos.scenario;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import outbox.OutboxConfig;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.TestDatabase;

/** A process that publishes changes of accounts in order and handles those of all processes. */
final class OrderNodeMain {
  static final Duration LEASE = Duration.ofSeconds(3);

  private OrderNodeMain() {}

  static List<String> arguments(
      String name, TestDatabase database, int accounts, int publishers, int changes) {
    return List.of(
        name,
        database.url(),
        String.valueOf(accounts),
        String.valueOf(publishers),
        String.valueOf(changes));
  }

  public static void main(String[] arguments) throws Exception {
    int accounts = Integer.parseInt(arguments[2]);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, US_ASCII));
    try (HikariDataSource pool = TestDatabase.pool(arguments[1])) {
      OrderLoad load = new OrderLoad(pool, accounts);
      try (JdbcOutbox outbox = outbox(pool, arguments[0], load)) {
        System.out.println(NodeMain.READY);
        if (input.readLine() != null) {
          load.publish(outbox, Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
          System.out.println(NodeMain.PUBLISHED);
          while (input.readLine() != null) {
            // Nothing more to be told: the end of the input is the sign to close.
          }
        }
      }
    }
  }

  static JdbcOutbox outbox(DataSource pool, String name, OrderLoad load) {
    return JdbcOutbox.builder(pool)
        .node(name)
        .config(
            new OutboxConfig()
                .setDispatcherWorkers(4)
                .setLeaseDuration(LEASE)
                .setPollerIntervalMs(NodeSettings.POLL_INTERVAL.toMillis()))
        .retries(Retries.fixed(Duration.ofMillis(20)).maxAttempts(Integer.MAX_VALUE).releasingKey())
        .listener(OrderLoad.CHANGED, load::handle)
        .start();
  }
}
