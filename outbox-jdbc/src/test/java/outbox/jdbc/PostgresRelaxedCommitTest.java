package outbox.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.ReceiveResult.Kind;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;

/**
 * What a crash of the server may take along need not wait for the disk; what the application
 * commits must.
 */
@Tag("slow")
class PostgresRelaxedCommitTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final ClaimRequest REQUEST =
      new ClaimRequest("me", LEASE, 10, Long.MAX_VALUE, null, Duration.ZERO);
  private static final InboundMessage MESSAGE =
      InboundMessage.of(new InboxKey("shop", "1"), "topic", "{}");

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

  private enum Claim {
    OUTBOX,
    OUTBOX_BY_ID,
    INBOX,
    INBOX_BY_ID;

    boolean isOfTheInbox() {
      return this == INBOX || this == INBOX_BY_ID;
    }

    boolean isById() {
      return this == OUTBOX_BY_ID || this == INBOX_BY_ID;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClaimOfItsOwnIsRelaxedAndWhatFollowsOnTheConnectionIsNot(Claim claim) throws SQLException {
    try (Connection connection = strict()) {
      String id = insert(connection, claim);
      recordCommitsOf(connection, claim.isOfTheInbox() ? "outbox_inbox" : "outbox_event");

      assertThat(claimed(connection, claim, id)).isEqualTo(1);

      assertThat(recorded(connection)).containsExactly("off");
      assertThat(level(connection)).isEqualTo("on");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClaimInTheCallersTransactionLeavesItAsStrictAsItWas(Claim claim) throws SQLException {
    try (Connection connection = strict()) {
      String id = insert(connection, claim);
      connection.setAutoCommit(false);

      assertThat(claimed(connection, claim, id)).isEqualTo(1);

      assertThat(level(connection)).isEqualTo("on");
      connection.rollback();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onlyADuplicateIsRelaxed(boolean hashed) throws SQLException {
    InboundMessage message = message("{}", hashed);
    InboundMessage other = message("{1}", hashed);
    try (Connection connection = strict()) {
      recordCommitsOf(connection, "outbox_inbox");
      assertThat(inbox.receive(connection, message).kind()).isEqualTo(Kind.NEW);
      assertThat(inbox.receive(connection, message).kind()).isEqualTo(Kind.DUPLICATE);

      assertThat(recorded(connection)).containsExactly("on", "off");
      connection.setAutoCommit(false);
      assertThat(inbox.receive(connection, message).contentDiffers()).isFalse();
      assertThat(inbox.receive(connection, other).contentDiffers()).isTrue();
      assertThat(level(connection)).isEqualTo("on");
      connection.rollback();
    }
  }

  @Test
  void theContentOfAMessageThatWasOnlySeenIsOnDisk() throws SQLException {
    try (Connection connection = strict()) {
      recordCommitsOf(connection, "outbox_inbox");
      inbox.see(connection, MESSAGE.key(), null);

      assertThat(inbox.receive(connection, MESSAGE).kind()).isEqualTo(Kind.NEW);

      assertThat(recorded(connection)).containsExactly("on", "off", "on");
    }
  }

  private static InboundMessage message(String payload, boolean hashed) {
    byte[] hash = hashed ? payload.getBytes(UTF_8) : null;
    return InboundMessage.of(MESSAGE.key(), "topic", payload).withHash(hash);
  }

  private String insert(Connection connection, Claim claim) {
    if (claim.isOfTheInbox()) {
      inbox.receive(connection, MESSAGE);
      return requireNonNull(inbox.eventIds(connection, List.of(MESSAGE.key())).get(MESSAGE.key()));
    }
    EventEnvelope event = EventEnvelope.ofJson("Placed", "{}");
    events.insertNew(connection, event);
    return event.eventId();
  }

  private int claimed(Connection connection, Claim claim, String id) {
    LeasedEventStore store = claim.isOfTheInbox() ? inbox.events() : events;
    return claim.isById()
        ? store.claimById(connection, "me", LEASE, List.of(id)).size()
        : store.claim(connection, REQUEST).events().size();
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
