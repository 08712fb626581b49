package outbox.chaos.scenario;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.zaxxer.hikari.HikariDataSource;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.inbox.InboxMessage;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.TestDatabase;

/**
 * A process of its own that handles the messages of an inbox by adding to a ledger and publishing
 * that it did, and closes when its input ends. Its arguments are a name, a URL and the lease.
 */
final class InboxNodeMain {
  static final String TOPIC = "ledger.add";

  private InboxNodeMain() {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, US_ASCII));
    try (HikariDataSource pool = TestDatabase.pool(arguments[1])) {
      JdbcOutbox outbox = JdbcOutbox.builder(pool).start();
      JdbcInbox inbox =
          JdbcInbox.builder(pool)
              .node(arguments[0])
              .config(config(Duration.parse(arguments[2])))
              .publishingTo(outbox)
              .transactionalHandler(
                  TOPIC,
                  (message, connection) -> {
                    add(message, connection);
                    outbox.publish(EventEnvelope.ofJson("ledger.added", message.payload()));
                  })
              .start();
      System.out.println(NodeMain.READY);
      while (input.readLine() != null) {
        // Nothing to be told: the end of the input is the sign to close.
      }
      inbox.close();
      outbox.close();
    }
  }

  private static OutboxConfig config(Duration lease) {
    return new OutboxConfig()
        .setLeaseDuration(lease)
        .setPollerIntervalMs(NodeSettings.POLL_INTERVAL.toMillis());
  }

  private static void add(InboxMessage message, Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO ledger (message_id, payload) VALUES (?, ?)")) {
      insert.setString(1, message.messageId());
      insert.setString(2, message.payload());
      insert.executeUpdate();
    }
  }
}
