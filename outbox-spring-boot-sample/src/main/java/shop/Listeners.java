package shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.spring.boot.DeadLetterEvent;
import outbox.spring.boot.InboxListener;
import outbox.spring.boot.OutboxListener;

/** What happens after the fact. */
@Component
public class Listeners {
  private final Purchases purchases;
  private final List<String> journal = new CopyOnWriteArrayList<>();
  private volatile boolean virtual;

  Listeners(Purchases purchases) {
    this.purchases = purchases;
  }

  /** Whether the last mail was sent by a virtual thread. */
  boolean ranOnVirtualThread() {
    return virtual;
  }

  /** What has happened so far. */
  public List<String> journal() {
    return journal;
  }

  @OutboxListener(value = "order.placed", transactional = true)
  void invoice(OrderPlaced order) {
    purchases
        .findById(order.orderId())
        .ifPresent(
            purchase -> {
              purchase.become("invoiced");
              purchases.save(purchase);
            });
  }

  @OutboxListener("order.placed")
  void mail(OrderPlaced order, EventEnvelope event) {
    virtual = Thread.currentThread().toString().startsWith("VirtualThread");
    journal.add("mail " + order.orderId() + " for " + event.tenantId());
  }

  @OutboxListener("order.reminder")
  void remind(OrderPlaced order) {
    journal.add("reminder " + order.orderId());
  }

  @OutboxListener(value = "order.disputed", maxAttempts = 2, baseDelay = "50ms")
  void settle(OrderPlaced order) {
    journal.add("attempt " + order.orderId());
    throw new IllegalStateException("no settlement");
  }

  @InboxListener("payment.received")
  @Transactional
  public void paid(PaymentReceived payment) {
    purchases.findById(payment.orderId()).ifPresent(purchase -> purchase.become("paid"));
    journal.add("paid " + payment.orderId());
  }

  @OutboxListener("part.picked")
  void picked(String part) {
    journal.add("part " + part);
  }

  @OutboxListener("order.picked")
  void allPicked(String order) {
    journal.add("picked " + order);
  }

  @OutboxListener("order.protocol")
  void protocol(String order) {
    journal.add("protocol " + order);
  }

  @EventListener
  void onDead(DeadLetterEvent event) {
    journal.add("dead " + event.letter().topic());
  }
}
