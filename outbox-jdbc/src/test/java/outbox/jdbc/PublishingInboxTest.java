package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

/** An inbox completes its messages in transactions of the outbox that its handlers publish to. */
class PublishingInboxTest {
  private final JdbcConnectionPool shop = database("publishing_shop");
  private final JdbcConnectionPool another = database("publishing_another");
  private final JdbcConnectionPool shopAgain = database("publishing_shop");

  private static JdbcConnectionPool database(String name) {
    return JdbcConnectionPool.create("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "");
  }

  @BeforeEach
  void deploy() {
    InboxSchema.of(shop).deploy();
  }

  @AfterEach
  void shutDown() throws Exception {
    for (JdbcConnectionPool each : new JdbcConnectionPool[] {shop, another}) {
      try (var connection = each.getConnection();
          var statement = connection.createStatement()) {
        statement.execute("SHUTDOWN");
      }
    }
  }

  @Test
  void anOutboxOnAnotherDatabaseIsRefusedAlsoIfThatHasAnInboxToo() {
    InboxSchema.of(another).deploy();
    try (JdbcOutbox outbox = outboxOn(another)) {
      assertThatThrownBy(() -> inbox(shop, outbox).start())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("this one is on H2 PUBLISHING_ANOTHER")
          .hasMessageContaining("the inbox on H2 PUBLISHING_SHOP; build both on the same DataSource");
    }
  }

  @Test
  void anOutboxThatDoesNotSeeTheTableOfTheInboxIsRefused() {
    try (JdbcOutbox outbox = outboxOn(another)) {
      JdbcInbox.Builder qualified = JdbcInbox.builder(shop);
      qualified.store(JdbcInboxStore.onTable("PUBLIC.outbox_inbox")).publishingTo(outbox);

      assertThatThrownBy(qualified::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("do not see table PUBLIC.outbox_inbox");
    }
  }

  @Test
  void twoPoolsOfOneDatabaseServeBoth() {
    try (JdbcOutbox outbox = outboxOn(shopAgain);
        JdbcInbox inbox = inbox(shop, outbox).start()) {
      assertThat(inbox.inbox()).isNotNull();
    }
  }

  @Test
  void aPublishOutsideOfATransactionIsToldHowToBeginOne() {
    try (JdbcOutbox outbox = outboxOn(shop)) {
      assertThatThrownBy(() -> outbox.publish(EventEnvelope.ofJson("placed", "{}")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("publish needs an active transaction")
          .hasMessageContaining("begin one with inTransaction(…) of the outbox");
    }
  }

  private static JdbcOutbox outboxOn(DataSource dataSource) {
    return JdbcOutbox.builder(dataSource).createSchema().start();
  }

  private static JdbcInbox.Builder inbox(DataSource dataSource, JdbcOutbox outbox) {
    return JdbcInbox.builder(dataSource)
        .publishingTo(outbox)
        .transactionalHandler("placed", (message, connection) -> {});
  }
}
