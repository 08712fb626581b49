package outbox.chaos.scenario;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.TestDatabase;

/**
 * A process of its own with an outbox: says READY, publishes after a line on its input, says
 * PUBLISHED, and closes when its input ends, as it also does when its parent dies.
 */
final class NodeMain {
  static final String READY = "node is ready";
  static final String PUBLISHED = "node has published";

  private NodeMain() {}

  public static void main(String[] arguments) throws Exception {
    NodeSettings settings = NodeSettings.parse(arguments);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, US_ASCII));
    try (HikariDataSource pool = TestDatabase.pool(settings.url());
        Journal journal = new Journal(settings.journal());
        JdbcOutbox outbox = outbox(pool, settings, journal)) {
      System.out.println(READY);
      if (input.readLine() != null) {
        Publishers.start(outbox, journal, settings.publishers(), settings.events()).awaitEnd();
        System.out.println(PUBLISHED);
        while (input.readLine() != null) {
          // Nothing more to be told: the end of the input is the sign to close.
        }
      }
    }
  }

  private static JdbcOutbox outbox(HikariDataSource pool, NodeSettings settings, Journal journal) {
    return JdbcOutbox.builder(pool)
        .node(settings.name())
        .config(settings.config())
        .listener(
            Publishers.EVENT_TYPE,
            event -> {
              journal.write(Fact.HANDLED, event.eventId());
              LockSupport.parkNanos(settings.handling().toNanos());
            })
        .start();
  }
}
