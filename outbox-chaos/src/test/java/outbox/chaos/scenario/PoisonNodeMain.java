package outbox.chaos.scenario;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxes;
import outbox.jdbc.db.TestDatabase;

/**
 * A process that handles ordinary messages beside one another and halts when it comes to a
 * poisonous one, with its neighbours half done. It closes when its input ends. Its arguments are
 * the kind of engine, a URL and the lease.
 */
final class PoisonNodeMain {
  static final String ORDINARY = "ordinary";
  static final String POISON = "poison";

  private static final Duration ORDINARY_WORK = Duration.ofMillis(150);
  private static final Duration UNTIL_THE_END = Duration.ofMillis(50);

  private PoisonNodeMain() {}

  enum Kind {
    OUTBOX,
    INBOX,
    MANY_DATABASES
  }

  public static void main(String[] arguments) throws Exception {
    OutboxConfig config =
        new OutboxConfig()
            .setLeaseDuration(Duration.parse(arguments[2]))
            .setPollerIntervalMs(200)
            .setDispatcherWorkers(8);
    try (HikariDataSource pool = TestDatabase.pool(arguments[1]);
        AutoCloseable engine = engine(Kind.valueOf(arguments[0]), pool, config)) {
      System.out.println(NodeMain.READY + " " + engine.getClass().getSimpleName());
      while (System.in.read() >= 0) {
        // The end of the input is the sign to close.
      }
    }
  }

  private static AutoCloseable engine(Kind kind, HikariDataSource pool, OutboxConfig config) {
    return switch (kind) {
      case OUTBOX ->
          JdbcOutbox.builder(pool)
              .config(config)
              .listener(ORDINARY, event -> work())
              .listener(POISON, event -> end())
              .start();
      case INBOX ->
          JdbcInbox.builder(pool)
              .config(config)
              .handler(ORDINARY, (message, context) -> work())
              .handler(POISON, (message, context) -> end())
              .start();
      case MANY_DATABASES ->
          JdbcOutboxes.builder()
              .database("one", pool)
              .config(config)
              .listener(ORDINARY, event -> work())
              .listener(POISON, event -> end())
              .start();
    };
  }

  private static void work() {
    LockSupport.parkNanos(ORDINARY_WORK.toNanos());
  }

  private static void end() {
    LockSupport.parkNanos(UNTIL_THE_END.toNanos());
    Runtime.getRuntime().halt(1);
  }
}
