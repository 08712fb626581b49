package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.ReceiveResult.Kind;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * What a crash of the server may take along need not wait for the disk; what the application
 * commits must.
 */
class PostgresRelaxedCommitTest {
  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final JdbcOutboxRepository events = new JdbcOutboxRepository();
  private final JdbcInboxStore inbox = new JdbcInboxStore();

  @BeforeEach
  void deploy() {
    OutboxSchema.of(database.dataSource()).deploy();
    InboxSchema.of(database.dataSource()).deploy();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void aClaimOfItsOwnIsRelaxedAndWhatFollowsOnTheConnectionIsNot() throws SQLException {
    try (Connection connection = strict()) {
      EventEnvelope event = EventEnvelope.ofJson("Placed", "{}");
      events.insertNew(connection, event);
      recordCommitsOf(connection, "outbox_event");

      assertThat(claim(connection, event)).isEqualTo(1);

      assertThat(recorded(connection)).containsExactly("off");
      assertThat(level(connection)).isEqualTo("on");
    }
  }

  @Test
  void aClaimInTheCallersTransactionLeavesItAsStrictAsItWas() throws SQLException {
    try (Connection connection = strict()) {
      EventEnvelope event = EventEnvelope.ofJson("Placed", "{}");
      events.insertNew(connection, event);
      connection.setAutoCommit(false);

      assertThat(claim(connection, event)).isEqualTo(1);

      assertThat(level(connection)).isEqualTo("on");
      connection.rollback();
    }
  }

  @Test
  void onlyADuplicateIsRelaxed() throws SQLException {
    try (Connection connection = strict()) {
      recordCommitsOf(connection, "outbox_inbox");
      InboundMessage message =
          new InboundMessage(new InboxKey("shop", "1"), "topic", "{}", null, null);

      assertThat(inbox.receive(connection, message).kind()).isEqualTo(Kind.NEW);
      assertThat(inbox.receive(connection, message).kind()).isEqualTo(Kind.DUPLICATE);

      assertThat(recorded(connection)).containsExactly("on", "off");
      connection.setAutoCommit(false);
      assertThat(inbox.receive(connection, message).kind()).isEqualTo(Kind.DUPLICATE);
      assertThat(level(connection)).isEqualTo("on");
      connection.rollback();
    }
  }

  private int claim(Connection connection, EventEnvelope event) {
    return events
        .claimById(connection, "me", Duration.ofMinutes(1), List.of(event.eventId()))
        .size();
  }

  private Connection strict() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    execute(connection, "SET synchronous_commit = on");
    return connection;
  }

  /** A deferred trigger sees the setting with which the transaction commits. */
  private static void recordCommitsOf(Connection connection, String table) throws SQLException {
    execute(connection, "CREATE TABLE recorded (n SERIAL, level TEXT)");
    execute(
        connection,
        """
        CREATE FUNCTION record_level() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO recorded (level) VALUES (current_setting('synchronous_commit'));
          RETURN NULL;
        END $$""");
    execute(
        connection,
        "CREATE CONSTRAINT TRIGGER record_level AFTER INSERT OR UPDATE ON "
            + table
            + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION record_level()");
  }

  private static List<String> recorded(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT string_agg(level, ',' ORDER BY n) FROM recorded")) {
      row.next();
      return List.of(row.getString(1).split(","));
    }
  }

  private static String level(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW synchronous_commit")) {
      row.next();
      return row.getString(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
