package outbox.demo;

import java.io.IOException;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import outbox.OutboxHandler;
import outbox.PermanentFailureException;

/** Does the work of the open shop, as well as people and machines do. Thread-safe. */
final class Staff {
  private static final int PAPER_LASTS_SECONDS = 60;
  private static final int PAPER_COMES_EVERY_SECONDS = 180;

  private final Clock clock = Clock.systemUTC();

  Map<String, OutboxHandler.Body> handlers() {
    return Map.of(
        Customers.ORDER, (message, context) -> tell(),
        Customers.INVOICE, (message, context) -> charge(),
        Customers.FAX, (message, context) -> fax(),
        Customers.MAIL, (message, context) -> {},
        Customers.REPORT, (message, context) -> render(),
        Customers.PICK, (message, context) -> {},
        Customers.PACK, (message, context) -> pack(),
        Customers.SHIP, (message, context) -> {},
        Customers.DELIVERED, (message, context) -> {},
        Customers.UNDELIVERED, (message, context) -> {});
  }

  void book() {
    if (oneIn(25)) {
      throw new PermanentFailureException("the account of the payment is closed");
    }
  }

  private static void tell() {
    if (oneIn(60)) {
      throw new IllegalStateException("the broker did not answer within 2 s");
    }
  }

  private static void charge() {
    if (oneIn(80)) {
      throw new PermanentFailureException("the card was declined: <b>call the customer</b>");
    }
    if (oneIn(30)) {
      throw new IllegalStateException("the bank answered 503 Service Unavailable");
    }
  }

  /** One minute in three there is paper: what died can be replayed then. */
  private void fax() throws IOException {
    if (clock.instant().getEpochSecond() % PAPER_COMES_EVERY_SECONDS >= PAPER_LASTS_SECONDS) {
      throw new IOException("the fax machine is out of paper");
    }
  }

  private static void render() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(1_000, 6_000));
  }

  private static void pack() {
    if (oneIn(8)) {
      throw new PermanentFailureException("the vase is broken");
    }
  }

  private static boolean oneIn(int number) {
    return ThreadLocalRandom.current().nextInt(number) == 0;
  }
}
