package outbox.demo;

import java.util.Locale;
import outbox.model.EventStatus;

/** Prints an account so that a reader can add it up. */
final class Summary {
  private final Account account;
  private final NodeMetrics metrics;

  Summary(Account account, NodeMetrics metrics) {
    this.account = account;
    this.metrics = metrics;
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
    row(screen, "failed deliveries", account.sum(OrderStory::failures), "", "");
    row(screen, "delivered twice", account.sum(OrderStory::repeats), "", "");
    screen.say("");
    explainRepeats(screen);
    screen.say(
        text(
            """
            The engine's own metrics: %d events went to the hot queue, %d found it full,
            the poller claimed %d (retries count again), %d died.
            """,
            metrics.hotEnqueued(), metrics.hotDropped(), metrics.coldEnqueued(), metrics.dead()));
    screen.say("");
    conclude(screen);
  }

  private void explainRepeats(Screen screen) {
    if (account.sum(OrderStory::repeats) > 0) {
      screen.say(
          """
          Delivered twice: node B had passed an event to the broker and was killed before
          it could store that. No other node can know, so the event is delivered again. The
          promise is at least once; a consumer knows the second copy by its event id.
          """);
      screen.say("");
    }
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
    screen.say(text("  %-24s %8s %9s  %s", what, shop, stored, note));
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
