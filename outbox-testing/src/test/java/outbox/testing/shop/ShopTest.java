package outbox.testing.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testing.OutboxAssertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import outbox.Batches;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.PermanentFailureException;
import outbox.dispatch.Retries;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.model.OwnerToken;
import outbox.testing.OutboxExtension;
import outbox.testing.PublishedEvents;
import outbox.testing.SettableClock;
import outbox.testing.TestInbox;
import outbox.testing.TestOutbox;
import outbox.testing.shop.Shop.OrderPlaced;
import outbox.testing.shop.Shop.Payment;

/** The tests that an application writes with the kit. */
@ExtendWith(OutboxExtension.class)
class ShopTest {
  private final List<String> mails = Collections.synchronizedList(new ArrayList<>());

  @Test
  void anOrderIsPublishedWithItsTransaction(TestOutbox outbox, PublishedEvents events) {
    Shop shop = new Shop(outbox.client());

    outbox.inTransaction(() -> shop.place(new OrderPlaced(42, "book")));

    assertThat(events)
        .contains("OrderPlaced")
        .withPayload(new OrderPlaced(42, "book"))
        .withAggregate("Order", "42")
        .withStatus(EventStatus.NEW)
        .once()
        .and()
        .doesNotContain("OrderCancelled")
        .hasSize(1);
    assertThat(events.payloads("OrderPlaced", OrderPlaced.class))
        .extracting(OrderPlaced::item)
        .containsExactly("book");
  }

  @Test
  void aRefusedOrderPublishesNothing(TestOutbox outbox, PublishedEvents events) {
    Shop shop = new Shop(outbox.client());

    assertThatThrownBy(() -> outbox.inTransaction(() -> shop.place(new OrderPlaced(42, ""))))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(events).isEmpty();
  }

  @Test
  void listenersRunWhenTheTestSaysSo(TestOutbox outbox, PublishedEvents events) {
    outbox.listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()));

    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
    assertThat(mails).isEmpty();
    outbox.runAll();

    assertThat(mails).containsExactly("book");
    assertThat(events).areDone();
  }

  @Test
  void whatListenersPublishRunsToo(TestOutbox outbox, PublishedEvents events) {
    outbox
        .listener(
            "OrderPlaced",
            OrderPlaced.class,
            (order, event) ->
                outbox.publish(
                    "MailRequested",
                    order.item(),
                    mail -> mail.idempotencyKey("mail-" + event.eventId())))
        .listener("MailRequested", event -> mails.add(event.payloadJson()));

    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
    outbox.runAll();

    assertThat(mails).containsExactly("book");
    assertThat(events).containsExactly("OrderPlaced", "MailRequested").areDone();
  }

  @Test
  void aRetryTakesNoTime(TestOutbox outbox, PublishedEvents events) {
    outbox
        .listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()))
        .failNext("OrderPlaced", new IOException("mail server down"));
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

    outbox.runAll();
    assertThat(events)
        .contains("OrderPlaced")
        .withStatus(EventStatus.RETRY)
        .withAttempts(1)
        .withError("mail server down");
    outbox.runAll();
    assertThat(mails).isEmpty();

    outbox.clock().advance(Duration.ofMinutes(1));
    outbox.runAll();
    assertThat(mails).containsExactly("book");
    assertThat(events).areDone();
  }

  @Test
  void theLastAttemptMakesADeadLetterThatIsReplayed() {
    try (TestOutbox outbox =
        TestOutbox.builder()
            .retries(Retries.fixed(Duration.ofHours(1)).maxAttempts(3))
            .build()
            .listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()))) {
      Instant start = outbox.clock().instant();
      outbox.failNext("OrderPlaced", 3, new IOException("mail server down"));
      outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

      outbox.runUntilSettled();

      assertThat(outbox.published()).contains("OrderPlaced").withStatus(EventStatus.DEAD);
      assertThat(outbox.clock().instant()).isAfterOrEqualTo(start.plus(Duration.ofMinutes(90)));
      assertThat(outbox.deadLetters().list(DeadLetterFilter.all(), 10))
          .singleElement()
          .satisfies(letter -> assertThat(letter.error()).contains("mail server down"));

      outbox
          .deadLetters()
          .replay(outbox.deadLetters().list(DeadLetterFilter.all(), 1).get(0).id(), "me");
      outbox.runAll();
      assertThat(mails).containsExactly("book");
    }
  }

  @Test
  void aPermanentFailureIsDeadAtOnce(TestOutbox outbox, PublishedEvents events) {
    outbox
        .listener("OrderPlaced", event -> mails.add("never"))
        .failNext("OrderPlaced", new PermanentFailureException("no such customer"));

    outbox.publish("OrderPlaced", "{}");
    outbox.runAll();

    assertThat(events).contains("OrderPlaced").withStatus(EventStatus.DEAD).withError("no such");
  }

  @Test
  void aDueTimeComesWithTheClock(TestOutbox outbox, SettableClock clock) {
    Instant tomorrow = clock.instant().plus(Duration.ofDays(1));
    outbox.listener("Reminder", event -> mails.add("reminder"));
    outbox.publish("Reminder", "{}", event -> event.dueAt(tomorrow));

    outbox.runAll();
    assertThat(outbox.published()).contains("Reminder").withDueTime(tomorrow);
    assertThat(mails).isEmpty();

    clock.set(tomorrow);
    outbox.runAll();
    assertThat(mails).containsExactly("reminder");
  }

  @Test
  void theLeaseOfACrashedNodeRunsOutWithTheClock(TestOutbox outbox, Outbox queue) {
    outbox.listener("OrderPlaced", event -> mails.add("taken over"));
    outbox.publish("OrderPlaced", "{}");
    assertThat(queue.claim(new OwnerToken("crashed"), Duration.ofMinutes(5), 10)).hasSize(1);

    outbox.runAll();
    assertThat(mails).isEmpty();

    outbox.clock().advance(Duration.ofMinutes(6));
    outbox.runAll();
    assertThat(mails).containsExactly("taken over");
  }

  @Test
  void aTransactionalListenerPublishesInItsTransaction(
      TestOutbox outbox, OutboxClient client, PublishedEvents events) {
    AtomicReference<RuntimeException> failure =
        new AtomicReference<>(new IllegalStateException("after the publication"));
    outbox.transactionalListener(
        "OrderPlaced",
        OrderPlaced.class,
        (order, connection) -> {
          client.publish("MailRequested", order.item());
          RuntimeException thrown = failure.getAndSet(null);
          if (thrown != null) {
            throw thrown;
          }
        });
    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));

    outbox.runAll();
    assertThat(events).containsExactly("OrderPlaced");

    outbox.runUntilSettled();
    assertThat(events).containsExactly("OrderPlaced", "MailRequested");
  }

  @Test
  void keysTenantsAndHeadersAreSeen(TestOutbox outbox, PublishedEvents events) {
    String id =
        outbox.publish(
            "OrderPlaced",
            new OrderPlaced(42, "book"),
            event -> event.idempotencyKey("k-1").tenantId("acme").header("source", "web"));

    assertThat(outbox.publish("OrderPlaced", "{}", e -> e.idempotencyKey("k-1").tenantId("acme")))
        .isEqualTo(id);
    assertThat(events)
        .contains("OrderPlaced")
        .withKey("k-1")
        .withTenant("acme")
        .withHeader("source", "web")
        .withPayload(OrderPlaced.class, order -> order.orderId() == 42)
        .withPayloadSatisfying(
            OrderPlaced.class, order -> assertThat(order.item()).isEqualTo("book"))
        .once();

    events.reset();
    assertThat(events).isEmpty();
  }

  @Test
  void batchesRunToo(TestOutbox outbox, PublishedEvents events) {
    outbox
        .listeners()
        .registerBatch(
            "OrderPlaced",
            Batches.of(10),
            batch -> batch.events().forEach(event -> mails.add(event.eventId())));
    outbox.publish("OrderPlaced", new OrderPlaced(1, "book"));
    outbox.publish("OrderPlaced", new OrderPlaced(2, "pen"));

    outbox.runAll();

    assertThat(mails).hasSize(2);
    assertThat(events).areDone();
  }

  @Test
  void anInboxHandlesAMessageOnce(TestInbox inbox, SettableClock clock) {
    InboxKey key = new InboxKey("bank", "7");
    inbox
        .handler("paid", Payment.class, payment -> mails.add(payment.order()))
        .failNext("paid", new IOException("ledger locked"));

    inbox.receive(key, "paid", new Payment("42", 900));
    inbox.receive(key, "paid", new Payment("42", 900));
    inbox.runAll();
    assertThat(inbox.find(key).orElseThrow().lastError()).contains("ledger locked");

    clock.advance(Duration.ofDays(1));
    inbox.runAll();
    assertThat(mails).containsExactly("42");
    assertThat(inbox.find(key).orElseThrow().status()).isEqualTo(InboxStatus.DONE);
  }
}
