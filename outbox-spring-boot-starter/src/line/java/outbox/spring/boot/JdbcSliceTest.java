package outbox.spring.boot;

import static outbox.testing.OutboxAssertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import outbox.spring.boot.OrdersTest.Mails;
import outbox.spring.boot.OrdersTest.OrderPlaced;
import outbox.spring.boot.OrdersTest.Orders;
import outbox.spring.boot.test.AutoConfigureOutboxTest;
import outbox.testing.OutboxDriver;
import outbox.testing.PublishedEvents;

/** The outbox in Spring Boot's slice of the database, which has nothing else. */
@JdbcTest
@AutoConfigureOutboxTest
@ContextConfiguration(classes = JdbcSliceTest.Slice.class)
class JdbcSliceTest {
  @Import({Orders.class, Mails.class})
  static class Slice {}

  @Autowired Orders orders;
  @Autowired PublishedEvents events;
  @Autowired OutboxDriver outbox;

  @Test
  void showsWhatTheTransactionOfTheTestHasStored() {
    orders.place(new OrderPlaced(42, "book"));

    outbox.runAll();

    assertThat(events).contains("OrderPlaced").withPayload(new OrderPlaced(42, "book")).once();
  }

  @Test
  @Transactional(propagation = Propagation.NOT_SUPPORTED)
  void runsListeners() {
    orders.place(new OrderPlaced(42, "book"));

    outbox.runAll();

    assertThat(events).areDone().hasSize(1);
  }
}
