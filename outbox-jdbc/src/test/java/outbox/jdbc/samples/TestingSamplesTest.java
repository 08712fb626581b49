package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testing.OutboxAssertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import outbox.dispatch.Retries;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.samples.OrderService.OrderPlaced;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.testing.OutboxDriver;
import outbox.testing.OutboxExtension;
import outbox.testing.PublishedEvents;
import outbox.testing.TestInbox;
import outbox.testing.TestOutbox;

/** What docs/testing.md shows beside its first test. */
@ExtendWith(OutboxExtension.class)
class TestingSamplesTest {
  private final List<String> mails = new CopyOnWriteArrayList<>();

  @Test
  void retries(TestOutbox outbox, PublishedEvents events) {
    outbox.listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()));
    // region test-of-a-retry
    outbox.failNext("OrderPlaced", new IOException("mail server down"));
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

    outbox.runAll();
    assertThat(events)
        .contains("OrderPlaced")
        .withStatus(EventStatus.RETRY)
        .withError("mail server down");

    outbox.clock().advance(Duration.ofMinutes(1));
    outbox.runAll();
    assertThat(events).areDone();
    // endregion
    assertThat(mails).containsExactly("book");
  }

  @Test
  void deadLetters() {
    // region test-of-dead-letters
    try (TestOutbox outbox =
        TestOutbox.builder().retries(Retries.moderate().maxAttempts(3)).build()) {
      outbox.listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()));
      outbox.failNext("OrderPlaced", 3, new IOException("mail server down"));
      outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

      outbox.runUntilSettled();

      DeadLetter letter = outbox.deadLetters().list(DeadLetterFilter.all(), 10).get(0);
      assertThat(letter.error()).contains("mail server down");
      outbox.deadLetters().replay(letter.id(), "test");
      outbox.runAll();
      assertThat(mails).containsExactly("book");
    }
    // endregion
  }

  @Test
  void inbox(TestInbox inbox) {
    // region test-of-an-inbox
    InboxKey key = new InboxKey("bank", "7");
    inbox.handler("order.paid", OrderPlaced.class, order -> mails.add(order.item()));

    inbox.receive(key, "order.paid", new OrderPlaced(42, "book"));
    inbox.receive(key, "order.paid", new OrderPlaced(42, "book")); // a duplicate
    inbox.runAll();

    assertThat(mails).containsExactly("book");
    assertThat(inbox.find(key).orElseThrow().status()).isEqualTo(InboxStatus.DONE);
    // endregion
  }

  @Test
  void onADatabase() throws Exception {
    try (SampleDatabase database = new SampleDatabase();
        JdbcOutbox outbox =
            JdbcOutbox.builder(database.dataSource())
                .createSchema()
                .listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()))
                .start()) {
      var dataSource = database.dataSource();
      // region test-on-a-database
      PublishedEvents events = PublishedEvents.of(dataSource);
      try (OutboxDriver driver = OutboxDriver.of(outbox.dispatcher())) {
        OrderService orders = new OrderService(outbox.client());

        outbox.inTransaction(
            connection -> {
              orders.place(new OrderPlaced(42, "book"));
            });
        assertThat(events).contains("OrderPlaced").withStatus(EventStatus.NEW);

        driver.runAll();
        assertThat(events).areDone();
      }
      // endregion
      assertThat(mails).containsExactly("book");
    }
  }
}
