package outbox.jdbc.samples;

// region first-test
import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testing.OutboxAssertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import outbox.jdbc.samples.OrderService.OrderPlaced;
import outbox.testing.OutboxExtension;
import outbox.testing.PublishedEvents;
import outbox.testing.TestOutbox;

@ExtendWith(OutboxExtension.class)
class OrderServiceTest {

  @Test
  void anOrderIsPublished(TestOutbox outbox, PublishedEvents events) {
    OrderService orders = new OrderService(outbox.client());

    outbox.inTransaction(() -> orders.place(new OrderPlaced(42, "book")));

    assertThat(events).contains("OrderPlaced").withPayload(new OrderPlaced(42, "book")).once();
  }

  @Test
  void itsListenerRuns(TestOutbox outbox, PublishedEvents events) {
    List<String> mails = new CopyOnWriteArrayList<>();
    outbox.listener("OrderPlaced", OrderPlaced.class, order -> mails.add(order.item()));

    outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
    outbox.runAll();

    assertThat(mails).containsExactly("book");
    assertThat(events).areDone();
  }
}
// endregion
