package shop;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import outbox.OutboxClient;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.join.JoinCoordinator;
import outbox.join.JoinPlan;

/** What customers and other systems do. */
@Service
public class Shop {
  private final Purchases purchases;
  private final OutboxClient outbox;
  private final Inbox inbox;
  private final JoinCoordinator joins;

  Shop(Purchases purchases, OutboxClient outbox, Inbox inbox, JoinCoordinator joins) {
    this.purchases = purchases;
    this.outbox = outbox;
    this.inbox = inbox;
    this.joins = joins;
  }

  /** Stores orders and announces each of them, once for its key, for a tenant. */
  @Transactional
  public void place(String tenant, List<String> ids) {
    purchases.saveAll(ids.stream().map(id -> new Purchase(id, 500)).toList());
    for (String id : ids) {
      outbox.publish(
          "order.placed",
          new OrderPlaced(id, 500),
          event -> event.idempotencyKey("placed-" + id).tenantId(tenant).aggregateId(id));
    }
  }

  /** Reminds of an order later. */
  @Transactional
  public void remind(String id, Duration later) {
    outbox.publish(
        "order.reminder",
        new OrderPlaced(id, 500),
        event -> event.dueAt(Instant.now().plus(later)));
  }

  /** Picks all parts, and is told when the last of them is done. */
  @Transactional
  public void pick(String id, int parts) {
    JoinPlan plan = joins.plan();
    for (int part = 0; part < parts; part++) {
      plan.step("part.picked", id + "/" + part);
    }
    plan.onComplete("order.picked", id).start();
  }

  /** Takes a message of the bank, which may come twice. */
  public void paid(String messageId, String id) {
    inbox.receive(new InboxKey("bank", messageId), "payment.received", new PaymentReceived(id));
  }

  /** Announces something that no listener can handle. */
  @Transactional
  public void announceTrouble(String id) {
    outbox.publish("order.disputed", new OrderPlaced(id, 500));
  }

  /** Places an order that is not to be. */
  @Transactional
  public void placeAndFail(String id) {
    place("north", List.of(id));
    throw new IllegalStateException("out of stock");
  }

  /** Writes a protocol that stays whatever becomes of the rest. */
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  public void protocol(String id) {
    outbox.publish("order.protocol", id);
  }
}
