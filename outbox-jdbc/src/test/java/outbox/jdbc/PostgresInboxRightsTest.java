package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.Retention;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxKey;
import outbox.internal.retention.EventRetention;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;

class PostgresInboxRightsTest {

  @Test
  @Spec("IBX-126")
  void fourRightsOnTheTableAreEnough() {
    try (TestDatabase owner = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      InboxSchema.of(owner.dataSource()).deploy();
      String role = owner.name() + "_app";
      owner.execute(
          "CREATE ROLE " + role + " LOGIN",
          "GRANT USAGE ON SCHEMA public TO " + role,
          "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_inbox TO " + role);
      try (TestDatabase restricted = owner.as(role)) {
        takeInHandleAndCleanUp(restricted);
      } finally {
        owner.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
      }
    }
  }

  private static void takeInHandleAndCleanUp(TestDatabase database) {
    InboxKey key = new InboxKey("shop", "message-1");
    try (JdbcInbox inbox =
        JdbcInbox.builder(database.dataSource())
            .keepForever()
            .handler("topic", (message, context) -> {})
            .start()) {
      assertThat(inbox.receive(new InboxKey("shop", "message-1"), "topic", "{}").isNew()).isTrue();
      await().atMost(Duration.ofSeconds(60)).until(() -> inbox.alreadyProcessed(key, null));
      Retention at = Retention.keepForever().completed(Duration.ZERO);
      EventRetention retention =
          new EventRetention(
              "inbox",
              new DataSourceConnectionProvider(database.dataSource()),
              new JdbcInboxStore().events(),
              at);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                retention.finish();
                return inbox.workStore().get(key).isEmpty();
              });
      assertThat(inbox.workStore().get(key)).isEmpty();
    }
  }
}
