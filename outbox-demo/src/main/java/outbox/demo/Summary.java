package outbox.demo;

import java.util.Locale;
import outbox.model.EventStatus;

/** Prints an account so that a reader can add it up. */
final class Summary {
  private final Account account;
  private final NodeMetrics metrics;
  private final Ledger ledger;

  Summary(Account account, NodeMetrics metrics, Ledger ledger) {
    this.account = account;
    this.metrics = metrics;
    this.ledger = ledger;
  }

  void print(Screen screen) {
    Books books = account.books();
    int placed = account.count(s -> s.isCommitted() || s.isRolledBack());
    int rolledBack = account.count(OrderStory::isRolledBack);
    int open = account.count(s -> s.isRolledBack() && s.elsewhere());
    int committed = account.count(OrderStory::isCommitted);
    int delivered = account.count(OrderStory::isDelivered);
    int hot = account.count(OrderStory::isDeliveredHot);
    int retried = account.count(OrderStory::isRetried);
    int takenOver = account.count(OrderStory::isTakenOver);
    int dead = account.count(OrderStory::isGivenUp);

    screen.title("The account of every order, as the shop saw it and as the database has it");
    row(screen, "", "shop", "database", "");
    row(screen, "orders placed", placed, "", "");
    row(screen, "  rolled back", rolledBack, "", open + " of them by the crash");
    row(screen, "  committed", committed, books.orders().size(), "rows in orders");
    row(screen, "events published", committed, books.events().size(), "rows in outbox_event");
    row(screen, "  delivered", delivered, books.count(EventStatus.DONE), "status DONE");
    row(screen, "    hot, from memory", hot, "", "");
    row(screen, "    by the poller", delivered - hot, "", "");
    row(screen, "      no room in memory", delivered - hot - retried - takenOver, "", "");
    row(screen, "      retried", retried, "", "");
    row(screen, "      taken over", takenOver, "", "from the crashed node");
    row(screen, "  dead", dead, books.count(EventStatus.DEAD), "status DEAD");
    row(screen, "  pending", committed - delivered - dead, books.pending(), "status NEW, RETRY");
    row(screen, "delivered twice", account.sum(OrderStory::repeats), "", "see below");
    screen.say("");
    screen.say(
        """
        Twice: the crashed node had reached the broker, but died before it could store that.
        Nobody can tell the two apart, so the event is delivered again: at least once is the
        promise. A consumer recognises the second one by its event id.
        """);
    screen.say(
        String.format(
            Locale.ROOT,
            "The engine counted %d events into the hot queue, %d that found it full, %d fetched by the"
                + " poller,\nand %d failed deliveries.",
            metrics.hotEnqueued(),
            metrics.hotDropped(),
            metrics.coldEnqueued(),
            ledger.failed()));
    screen.say("");
    conclude(screen);
  }

  private void conclude(Screen screen) {
    if (account.balances()) {
      screen.good("The account balances.");
      return;
    }
    screen.bad("The account does not balance:");
    account.discrepancies().forEach(discrepancy -> screen.say("  " + discrepancy));
  }

  private static void row(Screen screen, String what, Object shop, Object stored, String note) {
    String line = String.format(Locale.ROOT, "  %-24s %8s %9s  %s", what, shop, stored, note);
    screen.say(line);
  }
}
