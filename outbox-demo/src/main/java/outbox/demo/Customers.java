package outbox.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcOutbox;

/**
 * Keep the open shop busy: some fifteen events a second, more at times, a few that fail, payments
 * that come in, and deliveries of several steps.
 */
final class Customers implements AutoCloseable {
  static final String ORDER = "order.placed";
  static final String INVOICE = "invoice.sent";
  static final String FAX = "order.faxed";
  static final String MAIL = "mail.reminder";
  static final String REPORT = "report.rendered";
  static final String PICK = "parcel.picked";
  static final String PACK = "parcel.packed";
  static final String SHIP = "parcel.shipped";
  static final String DELIVERED = "delivery.announced";
  static final String UNDELIVERED = "delivery.cancelled";
  static final String PAYMENT = "payment.received";

  private static final System.Logger LOG = System.getLogger(Customers.class.getName());
  private static final List<String> SHOPS = List.of("north", "south", "east", "west");
  private static final int RUSH = 150;

  private final JdbcOutbox outbox;
  private final Inbox inbox;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private int number;

  Customers(JdbcOutbox outbox, Inbox inbox) {
    this.outbox = outbox;
    this.inbox = inbox;
  }

  void start() {
    every(Duration.ofMillis(100), () -> buy(ORDER));
    every(Duration.ofMillis(230), () -> buy(INVOICE));
    every(Duration.ofSeconds(2), () -> buy(REPORT));
    every(Duration.ofSeconds(4), () -> buy(FAX));
    every(Duration.ofSeconds(5), this::remindLater);
    every(Duration.ofMillis(700), this::pay);
    every(Duration.ofSeconds(9), this::deliver);
    every(Duration.ofSeconds(45), this::rush);
  }

  private void every(Duration gap, Visit visit) {
    Runnable safely =
        () -> {
          try {
            visit.run();
          } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, "a customer went away", e);
          }
        };
    var unused = clock.scheduleAtFixedRate(safely, 0, gap.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void buy(String topic) throws Exception {
    publish(event(topic));
  }

  private void publish(EventEnvelope.Builder event) throws Exception {
    outbox.inTransaction(connection -> outbox.publish(event.build()));
  }

  private void rush() throws Exception {
    outbox.inTransaction(
        connection -> {
          for (int i = 0; i < RUSH; i++) {
            outbox.publish(event(ORDER).build());
          }
        });
  }

  private void remindLater() throws Exception {
    Instant due = Instant.now().plusSeconds(ThreadLocalRandom.current().nextInt(30, 900));
    publish(event(MAIL).dueAt(due));
  }

  private void pay() {
    number++;
    String source = number % 3 == 0 ? "bank/eu" : "card";
    inbox.receive(new InboxKey(source, "payment-" + number), PAYMENT, payload(number));
    if (number % 10 == 0) {
      inbox.receive(new InboxKey(source, "payment-" + number), PAYMENT, payload(number));
    }
  }

  private void deliver() {
    number++;
    var unused =
        outbox
            .joins()
            .plan()
            .groupingKey("parcel-" + number)
            .deadline(Duration.ofHours(1))
            .step(event(PICK).dueAt(Instant.now().plusSeconds(3)).build())
            .step(event(PACK).dueAt(Instant.now().plusSeconds(15)).build())
            .step(event(SHIP).dueAt(Instant.now().plusSeconds(45)).build())
            .onComplete(DELIVERED, payload(number))
            .onFail(UNDELIVERED, payload(number))
            .start();
  }

  private EventEnvelope.Builder event(String topic) {
    number++;
    return EventEnvelope.builder(topic)
        .tenantId(SHOPS.get(ThreadLocalRandom.current().nextInt(SHOPS.size())))
        .aggregateType("order")
        .aggregateId("o-" + number)
        .correlationId("visit-" + number / 5)
        .payloadJson(payload(number));
  }

  private static String payload(int number) {
    Order order = Order.number("shop", number);
    return String.format(
        Locale.ROOT,
        "{\"order\":\"%s\",\"customer\":{\"name\":\"%s\",\"note\":\"<i>ring twice</i>\"},"
            + "\"lines\":[{\"sku\":\"vase\",\"quantity\":%d}],\"cents\":%d,\"gift\":%b}",
        order.id(),
        order.customer(),
        1 + number % 3,
        order.cents(),
        number % 4 == 0);
  }

  /** What one customer does. */
  @FunctionalInterface
  private interface Visit {
    void run() throws Exception;
  }

  @Override
  public void close() {
    clock.shutdownNow();
    try {
      if (!clock.awaitTermination(10, TimeUnit.SECONDS)) {
        LOG.log(System.Logger.Level.WARNING, "a customer does not leave");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
