package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.ReceiveResult.Kind;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.spi.LeasedEventStore.ClaimRequest;

/** On PostgreSQL a row that is touched moves: who looks for it at its old place finds nothing. */
class PostgresTouchedMessageTest {
  private static final InboundMessage MESSAGE =
      InboundMessage.of(new InboxKey("shop", "1"), "topic", "{}");
  private static final ClaimRequest REQUEST =
      new ClaimRequest("me", Duration.ofMinutes(1), 10, Long.MAX_VALUE, null, Duration.ZERO);

  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final JdbcInboxStore inbox = new JdbcInboxStore();

  /** A clock that stands still for as long as a session has the advisory lock. */
  @BeforeEach
  void deploy() {
    InboxSchema.of(database.dataSource()).deploy();
    database.execute(
        """
        CREATE FUNCTION held_now() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(1);
          RETURN clock_timestamp();
        END $$""");
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void aDuplicateBetweenTheLookAndTheLockOfAClaimDoesNotHideItsMessage() throws Exception {
    try (Connection connection = database.dataSource().getConnection()) {
      inbox.receive(connection, MESSAGE);
      execute(connection, "SELECT pg_advisory_lock(1)");
      CompletableFuture<Integer> claimed = CompletableFuture.supplyAsync(this::claim);
      await().atMost(Duration.ofSeconds(60)).until(() -> aSessionWaits(connection));

      assertThat(inbox.receive(connection, MESSAGE).kind()).isEqualTo(Kind.DUPLICATE);
      execute(connection, "SELECT pg_advisory_unlock(1)");

      assertThat(claimed.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }
  }

  private int claim() {
    return new DataSourceConnectionProvider(database.dataSource())
        .inAutoCommit(
            connection -> {
              JdbcInboxStore slow = inbox.nowExpression("held_now()");
              return slow.events().claim(connection, REQUEST).events().size();
            });
  }

  private static boolean aSessionWaits(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) {
      return row.next();
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
