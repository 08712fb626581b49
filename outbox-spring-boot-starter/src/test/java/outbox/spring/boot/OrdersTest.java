package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testing.OutboxAssertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import outbox.OutboxClient;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.model.EventStatus;
import outbox.spring.boot.test.AutoConfigureOutboxTest;
import outbox.testing.OutboxDriver;
import outbox.testing.PublishedEvents;

/** The kit in tests of a Spring Boot application. */
// region spring-test
@SpringBootTest
@AutoConfigureOutboxTest
class OrdersTest {
  @Autowired Orders orders;
  @Autowired PublishedEvents events;
  @Autowired OutboxDriver outbox;

  @Test
  void anOrderIsPublishedAndHandled() {
    orders.place(new OrderPlaced(42, "book"));
    assertThat(events).contains("OrderPlaced").withPayload(new OrderPlaced(42, "book")).once();

    outbox.runAll();
    assertThat(events).areDone();
  }

  @Test
  @Transactional // rolls back
  void anOrderIsPublished() {
    orders.place(new OrderPlaced(42, "book"));

    assertThat(events).contains("OrderPlaced");
  }

  // endregion

  @Autowired Mails mails;

  @BeforeEach
  void forget() {
    mails.sent.clear();
  }

  @Test
  void listenersOfOutboxAndInboxRunWhenTheTestSaysSo() {
    orders.place(new OrderPlaced(42, "book"));
    assertThat(events).contains("OrderPlaced").withStatus(EventStatus.NEW);
    assertThat(mails.sent).isEmpty();

    outbox.runAll();

    assertThat(mails.sent).containsExactly("book", "confirmed 42");
  }

  @RepeatedTest(2)
  void eachTestSeesItsOwnEventsAndMessagesOnly() {
    assertThat(events).isEmpty();
    outbox.runAll();
    assertThat(mails.sent).isEmpty();

    orders.place(new OrderPlaced(1, "pen"));
    outbox.runAll();
    assertThat(mails.sent).containsExactly("pen", "confirmed 1");
    orders.place(new OrderPlaced(2, "left behind"));
  }

  @Test
  void aFailureIsSeenWithItsError() {
    orders.place(new OrderPlaced(42, ""));

    outbox.runAll();

    assertThat(events)
        .contains("OrderPlaced")
        .withStatus(EventStatus.RETRY)
        .withError("IllegalArgumentException: no item");
  }

  record OrderPlaced(long orderId, String item) {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Orders.class, Mails.class})
  static class Shop {}

  @Component
  static class Orders {
    private final OutboxClient outbox;

    Orders(OutboxClient outbox) {
      this.outbox = outbox;
    }

    @Transactional
    public void place(OrderPlaced order) {
      outbox.publish("OrderPlaced", order);
    }
  }

  @Component
  static class Mails {
    final List<String> sent = new CopyOnWriteArrayList<>();
    private final Inbox inbox;

    Mails(Inbox inbox) {
      this.inbox = inbox;
    }

    @OutboxListener("OrderPlaced")
    void confirm(OrderPlaced order) {
      if (order.item().isEmpty()) {
        throw new IllegalArgumentException("no item");
      }
      sent.add(order.item());
      inbox.receive(new InboxKey("shop", "" + order.orderId()), "Confirmed", order);
    }

    @InboxListener("Confirmed")
    void confirmed(OrderPlaced order) {
      sent.add("confirmed " + order.orderId());
    }
  }
}
