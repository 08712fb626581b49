package outbox.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.demo.Books.Row;
import outbox.model.EventStatus;

class AccountTest {
  private final Ledger ledger = new Ledger();
  private final Set<String> orders = new HashSet<>();
  private final Map<String, Row> events = new HashMap<>();

  @Test
  void balancesWhenEveryCommittedOrderIsDeliveredOrDead() {
    delivered(committed("1", EventStatus.DONE));
    ledger.failed(committed("2", EventStatus.DEAD));
    ledger.rolledBack("event-3", "order-3");

    assertThat(account().discrepancies()).isEmpty();
    assertThat(account().balances()).isTrue();
  }

  @Test
  void missesDeliveryThatTheDatabaseHasAsDone() {
    committed("1", EventStatus.DONE);

    assertOff("1 orders DONE in the database, but never delivered: order-1");
  }

  @Test
  void seesDeliveryThatTheDatabaseDoesNotHave() {
    delivered(committed("1", EventStatus.DEAD));

    assertThat(account().discrepancies())
        .containsExactly(
            "1 orders delivered, but not DONE in the database: order-1",
            "1 orders DEAD in the database, but no delivery failed: order-1");
  }

  @Test
  void seesDeathWithoutAFailedDelivery() {
    committed("1", EventStatus.DEAD);

    assertOff("1 orders DEAD in the database, but no delivery failed: order-1");
  }

  @Test
  void seesRepeatedDelivery() {
    String event = committed("1", EventStatus.DONE);
    delivered(event);
    delivered(event);

    assertOff("1 orders delivered twice without a crash: order-1");
  }

  @Test
  void acceptsRepeatOfDeliveryWhoseNodeCrashed() {
    String event = committed("1", EventStatus.DONE);
    ledger.deliveredByCrashedNode(event);
    delivered(event);

    assertThat(account().balances()).isTrue();
    assertThat(account().sum(OrderStory::repeats)).isOne();
  }

  @Test
  void seesDeliveryOfRolledBackOrder() {
    ledger.rolledBack("event-1", "order-1");
    delivered("event-1");

    assertThat(account().discrepancies()).contains("1 orders rolled back, but delivered: order-1");
  }

  @Test
  void seesEventThatWasNotPublished() {
    delivered("event-1");

    assertThat(account().discrepancies()).contains("1 orders delivered, but never published: ?");
  }

  @Test
  void seesEventThatIsStillPending() {
    committed("1", EventStatus.RETRY);

    assertOff("1 orders still pending: order-1");
  }

  @Test
  void seesOrderThatIsNotStored() {
    delivered(committed("1", EventStatus.DONE));
    orders.remove("order-1");

    assertThat(account().discrepancies())
        .contains("1 orders committed, but missing in the table orders: order-1");
  }

  @Test
  void seesStoredOrderThatWasRolledBack() {
    ledger.rolledBack("event-1", "order-1");
    orders.add("order-1");

    assertThat(account().discrepancies())
        .contains("1 orders in the table orders, but never committed: order-1");
  }

  @Test
  void seesOrderWithoutEvent() {
    delivered(committed("1", EventStatus.DONE));
    events.clear();

    assertThat(account().discrepancies())
        .contains("1 orders without an event in outbox_event: order-1");
  }

  @Test
  void seesSecondEventOfOneOrder() {
    delivered(committed("1", EventStatus.DONE));
    events.put("event-1b", new Row("order-1", EventStatus.DEAD, null));

    assertThat(account().discrepancies())
        .containsExactly(
            "1 more events than orders in outbox_event",
            "1 orders DEAD in the database, but no delivery failed: of event event-1b");
  }

  @Test
  void namesOnlySomeExamples() {
    for (int i = 1; i <= 5; i++) {
      committed(Integer.toString(i), EventStatus.NEW);
    }

    assertOff("5 orders still pending: order-1, order-2, order-3, ...");
  }

  private String committed(String number, EventStatus status) {
    String orderId = "order-" + number;
    String eventId = "event-" + number;
    ledger.committed(eventId, orderId, true);
    orders.add(orderId);
    events.put(eventId, new Row(orderId, status, null));
    return eventId;
  }

  private void delivered(String eventId) {
    ledger.delivered(eventId);
  }

  private void assertOff(String discrepancy) {
    assertThat(account().discrepancies()).containsExactly(discrepancy);
    assertThat(account().balances()).isFalse();
  }

  private Account account() {
    return new Account(ledger.stories(), new Books(orders, events));
  }
}
