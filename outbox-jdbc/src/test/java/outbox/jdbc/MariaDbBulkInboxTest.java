package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxWorkStore;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.model.OwnerToken;

/** A driver that sends a batch as one need not say how many rows each of its parts changed. */
class MariaDbBulkInboxTest {
  private static final String BULK = "useBulkStmts=true";
  private static final OwnerToken ME = new OwnerToken("me");
  private static final InboxKey FIRST = new InboxKey("shop", "1");
  private static final InboxKey SECOND = new InboxKey("shop", "2");

  private final TestDatabase database = TestDatabase.create(Product.MARIADB);
  private final HikariDataSource pool =
      TestDatabase.pool(database.url() + (database.url().contains("?") ? "&" : "?") + BULK);
  private final JdbcInboxStore store = new JdbcInboxStore();
  private final DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);

  @BeforeEach
  void deploy() {
    InboxSchema.of(database.dataSource()).deploy();
  }

  @AfterEach
  void drop() {
    pool.close();
    database.close();
  }

  @Test
  void whatIsAcknowledgedAndReplayedDoesNotDependOnTheCountsOfABatch() throws Exception {
    Inbox inbox = Inbox.builder(connections, store).build();
    InboxWorkStore work = Inbox.builder(connections, store).buildWorkStore();
    inbox.enqueue(InboundMessage.of(new InboxKey("shop", "1"), "topic", "{}"));
    inbox.enqueue(InboundMessage.of(new InboxKey("shop", "2"), "topic", "{}"));
    List<InboxMessage> claimed = work.claim(ME, Duration.ofMinutes(1), 10);

    assertThat(work.fail(ME, claimed, "broken")).containsExactlyInAnyOrder(FIRST, SECOND);
    assertThat(inbox.replay(List.of(FIRST, SECOND), "ann"))
        .containsExactlyInAnyOrder(FIRST, SECOND);
    claimed = work.claim(ME, Duration.ofMinutes(1), 10);
    assertThat(work.ack(ME, claimed)).containsExactlyInAnyOrder(FIRST, SECOND);
  }
}
