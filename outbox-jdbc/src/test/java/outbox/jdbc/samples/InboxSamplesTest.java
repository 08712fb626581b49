package outbox.jdbc.samples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxWorkStore;
import outbox.inbox.ReceiveResult;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.model.DeadLetterFilter;
import outbox.model.OwnerToken;

class InboxSamplesTest {
  private final SampleDatabase database = new SampleDatabase();
  private final DataSource dataSource = database.dataSource();
  private final List<String> sent = new CopyOnWriteArrayList<>();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  @Spec({"IBX-114", "IBX-116"})
  void aMessageIsHandledInTheTransactionOfItsCompletion() throws Exception {
    String body = "{\"orderId\":42,\"item\":\"book\"}";
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(body.getBytes(UTF_8));
    // region inbox-start
    try (JdbcInbox inbox =
        JdbcInbox.builder(dataSource)
            .createSchema()
            .transactionalHandler(
                "order.placed",
                (message, connection) -> {
                  try (PreparedStatement insert =
                      connection.prepareStatement("INSERT INTO orders VALUES (42, ?)")) {
                    insert.setString(1, message.payload());
                    insert.executeUpdate();
                  }
                })
            .start()) {

      ReceiveResult result =
          inbox.receive(
              InboundMessage.of(new InboxKey("shop", "message-7"), "order.placed", body)
                  .withHash(hash));
      // endregion
      assertThat(result.isNew()).isTrue();
      awaitDone("message-7");
      assertThat(database.number("SELECT COUNT(*) FROM orders")).isEqualTo(1);
      JdbcInbox.builder(dataSource).createSchema().start().close();
    }
  }

  @Test
  @Spec("IBXU-11")
  void webhookInTwoCalls() throws Exception {
    String json = "{\"id\":\"evt_1\",\"type\":\"invoice.paid\"}";
    String eventId = "evt_1";
    String eventType = "invoice.paid";
    List<String> handled = new CopyOnWriteArrayList<>();
    try (JdbcInbox started =
        JdbcInbox.builder(dataSource)
            .createSchema()
            .handler("stripe.invoice.paid", (message, context) -> handled.add(message.payload()))
            .start()) {
      Inbox inbox = started;
      for (int delivery = 0; delivery < 2; delivery++) {
        // region webhook-two-calls
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(json.getBytes(UTF_8));
        if (!inbox.alreadyProcessed(new InboxKey("StripeWebhook", eventId), hash)) {
          inbox.enqueue(
              InboundMessage.of(new InboxKey("StripeWebhook", eventId), "stripe." + eventType, json)
                  .withHash(hash));
        }
        // endregion
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> !handled.isEmpty());
      InboxKey key = new InboxKey("StripeWebhook", eventId);
      await().atMost(Duration.ofSeconds(60)).until(() -> inbox.alreadyProcessed(key, null));
      inbox.enqueue(
          InboundMessage.of(new InboxKey("StripeWebhook", eventId), "stripe." + eventType, json));
      assertThat(started.workStore().claim(OwnerToken.random(), Duration.ofMinutes(1), 10))
          .isEmpty();
      assertThat(handled).containsExactly(json);
    }
  }

  @Test
  void whatAHandlerPublishesGoesOutIfAndOnlyIfTheMessageIsDone() throws Exception {
    // region inbox-in-and-out
    try (JdbcOutbox outbox =
            JdbcOutbox.builder(dataSource)
                .createSchema()
                .listener("order.accepted", event -> sent.add(event.payloadJson()))
                .start();
        JdbcInbox inbox =
            JdbcInbox.builder(dataSource)
                .createSchema()
                .publishingTo(outbox)
                .transactionalHandler(
                    "order.placed",
                    (message, connection) ->
                        outbox.publish(EventEnvelope.ofJson("order.accepted", message.payload())))
                .start()) {

      inbox.receive(new InboxKey("shop", "message-8"), "order.placed", "{\"orderId\":43}");
      // endregion
      awaitDone("message-8");
      await().atMost(Duration.ofSeconds(60)).until(() -> sent.size() == 1);
    }
  }

  @Test
  void whoHandlesMessagesInTheMomentTheyComeAsksAndMarks() {
    try (JdbcInbox started = JdbcInbox.builder(dataSource).createSchema().start()) {
      Inbox inbox = started;
      // region inbox-by-hand
      InboxKey key = new InboxKey("shop", "message-9");
      if (!inbox.alreadyProcessed(key, null)) {
        inbox.markProcessing(key);
        process();
        inbox.markProcessed(key);
      }
      // endregion
      assertThat(inbox.alreadyProcessed(key, null)).isTrue();
    }
  }

  @Test
  @Spec("IBX-102")
  void whoHandlesMessagesInATransactionOfTheirOwnDoesItOnce() throws Exception {
    try (JdbcInbox started = JdbcInbox.builder(dataSource).createSchema().start()) {
      Inbox inbox = started;
      InboxKey key = new InboxKey("shop", "message-10");
      for (int delivery = 0; delivery < 2; delivery++) {
        // region inbox-by-hand-once
        try (Connection connection = dataSource.getConnection()) {
          connection.setAutoCommit(false);
          if (!inbox.alreadyProcessed(connection, key, null)) {
            placeOrder(connection, 44);
            inbox.markProcessed(connection, key);
          }
          connection.commit();
        }
        // endregion
      }
      assertThat(database.number("SELECT COUNT(*) FROM orders")).isEqualTo(1);
    }
  }

  private static void placeOrder(Connection connection, int id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO orders VALUES (?, 'book')")) {
      insert.setInt(1, id);
      insert.executeUpdate();
    }
  }

  @Test
  void theDeadAreReplayed() {
    try (JdbcInbox started = JdbcInbox.builder(dataSource).createSchema().start()) {
      Inbox inbox = started;
      inbox.enqueue(InboundMessage.of(new InboxKey("bank", "evt_1"), "payment.received", "{}"));
      inbox.enqueue(InboundMessage.of(new InboxKey("bank", "evt_2"), "payment.received", "{}"));
      inbox.markDead(new InboxKey("bank", "evt_1"));
      inbox.markDead(new InboxKey("bank", "evt_2"));
      // region inbox-replay
      inbox.replay(new InboxKey("bank", "evt_1"), "alice");
      long replayed =
          inbox
              .deadLetters()
              .replay(DeadLetterFilter.all().topic("payment.received"), Bulk.by("alice"));
      // endregion
      assertThat(replayed).isEqualTo(1);
    }
  }

  @Test
  void aWorkerClaimsByItself() {
    try (JdbcInbox inbox = JdbcInbox.builder(dataSource).createSchema().start()) {
      inbox.enqueue(InboundMessage.of(new InboxKey("bank", "evt_1"), "payment.received", "{}"));
      // region inbox-work
      InboxWorkStore work = inbox.workStore();
      OwnerToken me = OwnerToken.random();
      for (InboxMessage message : work.claim(me, Duration.ofSeconds(30), 50)) {
        try {
          process();
          work.ack(me, List.of(message));
        } catch (RuntimeException e) {
          work.abandon(me, List.of(message), e.toString(), null);
        }
      }
      // endregion
      awaitDone("evt_1");
    }
  }

  private void process() {
    sent.add("processed");
  }

  private void awaitDone(String messageId) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                database.number("SELECT status FROM outbox_inbox WHERE message_id = ?", messageId)
                    == 1);
  }
}
