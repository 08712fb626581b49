package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.schema.InboxSchema;

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
  void shutDown() throws SQLException {
    execute(shop, "SHUTDOWN");
    execute(another, "SHUTDOWN");
  }

  private static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void anOutboxOnAnotherDatabaseIsRefusedAlsoIfThatHasAnInboxToo() {
    InboxSchema.of(another).deploy();
    try (JdbcOutbox outbox = outboxOn(another)) {
      assertThatThrownBy(() -> inbox(shop, outbox).start())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("this one is on H2 PUBLISHING_ANOTHER")
          .hasMessageContaining(
              "the inbox on H2 PUBLISHING_SHOP; build both on the same DataSource");
    }
  }

  @Test
  void anOutboxThatDoesNotSeeTheTableOfTheInboxIsRefused() throws SQLException {
    execute(shop, "CREATE SCHEMA elsewhere");
    try (JdbcOutbox outbox = outboxOn(database("publishing_shop;SCHEMA=ELSEWHERE"))) {
      assertThatThrownBy(() -> inbox(shop, outbox).start())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("do not see table outbox_inbox; build both on the same DataSource");
    }
  }

  @Test
  void twoPoolsOfOneDatabaseServeBoth() {
    try (JdbcOutbox outbox = outboxOn(shopAgain);
        JdbcInbox inbox = inbox(shop, outbox).start()) {
      assertThat(inbox).isNotNull();
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
