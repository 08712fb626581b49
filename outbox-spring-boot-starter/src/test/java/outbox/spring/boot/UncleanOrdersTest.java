package outbox.spring.boot;

import static outbox.testing.OutboxAssertions.assertThat;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import outbox.spring.boot.OrdersTest.OrderPlaced;
import outbox.spring.boot.OrdersTest.Orders;
import outbox.spring.boot.OrdersTest.Shop;
import outbox.spring.boot.test.AutoConfigureOutboxTest;
import outbox.testing.PublishedEvents;

/** A test that keeps what others have published still sees its own only. */
@SpringBootTest(classes = Shop.class, properties = "spring.datasource.generate-unique-name=true")
@AutoConfigureOutboxTest(clean = false)
@DirtiesContext
class UncleanOrdersTest {
  @Autowired Orders orders;
  @Autowired PublishedEvents events;
  @Autowired JdbcTemplate jdbc;

  @RepeatedTest(2)
  void keepsTheEventsOfOtherTests(RepetitionInfo info) {
    assertThat(events).isEmpty();

    orders.place(new OrderPlaced(7, "left"));

    assertThat(events).hasSize(1);
    org.assertj.core.api.Assertions.assertThat(
            jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
        .isEqualTo(info.getCurrentRepetition());
  }
}
