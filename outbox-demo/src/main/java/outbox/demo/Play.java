package outbox.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import outbox.OutboxConfig;
import outbox.demo.Database.SecondNode;
import outbox.jdbc.JdbcOutbox;
import outbox.model.EventStatus;

/** The demo in five acts. */
final class Play {
  static final Duration LEASE = Duration.ofSeconds(2);

  private static final int ATTEMPTS = 4;
  private static final int HOT_QUEUE = 64;
  private static final int WORKERS = 4;
  private static final int CASH_DESKS = 4;
  private static final int CANCELLED_ONE_IN = 6;
  private static final int FAX_ONE_IN = 10;
  private static final long SLOW_BROKER_MILLIS = 8;

  private final Database database;
  private final Screen screen;
  private final Scale scale;
  private final Ledger ledger = new Ledger();
  private final NodeMetrics metrics = new NodeMetrics();
  private final Broker broker = new Broker(ledger);
  private final Backlog backlog;

  Play(Database database, Screen screen, Scale scale) {
    this.database = database;
    this.screen = screen;
    this.scale = scale;
    this.backlog = new Backlog(database.dataSource());
  }

  Account perform() throws Exception {
    Shop.createTable(database.dataSource());
    try (JdbcOutbox outbox = open()) {
      CashDesk desk = new CashDesk(new Shop(outbox), ledger, metrics);
      try (LiveLine live = new LiveLine(screen, ledger, metrics, backlog)) {
        live.start();
        transactions(desk);
        failures(desk);
        deadLetters(desk);
        burst(desk);
        crash();
        backlog.awaitEmpty();
      }
    }
    Account account = new Account(ledger.stories(), Books.read(database.dataSource()));
    new Summary(account, metrics).print(screen);
    return account;
  }

  private JdbcOutbox open() {
    OutboxConfig config =
        new OutboxConfig()
            .setDispatcherWorkers(WORKERS)
            .setHotQueueCapacity(HOT_QUEUE)
            .setLeaseDuration(LEASE)
            .setPollerIntervalMs(250)
            .setRetryBaseDelayMs(100)
            .setRetryMaxDelayMs(400)
            .setRetryMaxAttempts(ATTEMPTS);
    return JdbcOutbox.builder(database.dataSource())
        .createSchema()
        .node("node-a")
        .config(config)
        .metrics(metrics)
        .listener(Order.PLACED, broker)
        .listener(
            Order.PLACED_BY_FAX,
            event -> {
              ledger.failed(event.eventId());
              throw new IOException("the fax machine is out of paper");
            })
        .start();
  }

  private void transactions(CashDesk desk) throws Exception {
    screen.title("Act 1: orders in transactions");
    screen.say(
        """
          outbox.inTransaction(connection -> {
            insertOrder(connection, order);
            outbox.publish(EventEnvelope.ofJson("OrderPlaced", order.toJson()));
          });
        One customer in six changes their mind before the commit. That transaction
        rolls back, and with it the event: no listener may ever hear of it. The live line
        shows events per second, and how many the table still holds (pending).
        """);
    long delivered = ledger.delivered();
    int cancelled = 0;
    Pace pace = new Pace(scale.ordersPerSecond());
    for (int i = 1; i <= scale.calmOrders(); i++) {
      pace.await();
      if (i % CANCELLED_ONE_IN == 0) {
        desk.placeAndCancel();
        cancelled++;
      } else {
        desk.place(Order.PLACED);
      }
    }
    backlog.awaitEmpty();
    screen.result(
        text(
            "%d orders placed, %d rolled back, %d delivered right after their commit",
            scale.calmOrders(), cancelled, ledger.delivered() - delivered));
  }

  private void failures(CashDesk desk) throws Exception {
    screen.title("Act 2: a broker that fails now and then");
    screen.say(
        """
        For one order in eight the first delivery fails. The event stays in the table,
        and the poller, which looks there for what is due, delivers it again a little
        later.
        """);
    long delivered = ledger.delivered();
    long failed = ledger.failed();
    broker.unreliable(true);
    Pace pace = new Pace(scale.ordersPerSecond());
    for (int i = 0; i < scale.calmOrders(); i++) {
      pace.await();
      desk.place(Order.PLACED);
    }
    backlog.awaitEmpty();
    broker.unreliable(false);
    screen.result(
        text(
            "%d orders placed, %d deliveries failed, %d orders delivered in the end",
            scale.calmOrders(), ledger.failed() - failed, ledger.delivered() - delivered));
  }

  private void deadLetters(CashDesk desk) throws Exception {
    screen.title("Act 3: a listener that always fails");
    screen.say(
        text(
            """
            Some orders are to be passed on by fax, and the machine is out of paper. After
            %d attempts such an event is DEAD: kept in the table with its last error,
            and holds up no other event.
            """,
            ATTEMPTS));
    long delivered = ledger.delivered();
    Pace pace = new Pace(scale.ordersPerSecond());
    for (int i = 0; i < scale.faxOrders() * FAX_ONE_IN; i++) {
      pace.await();
      desk.place(i % FAX_ONE_IN == 0 ? Order.PLACED_BY_FAX : Order.PLACED);
    }
    backlog.awaitEmpty();
    Books books = Books.read(database.dataSource());
    screen.result(
        text(
            "%d events are dead, %d other orders were delivered meanwhile",
            books.count(EventStatus.DEAD), ledger.delivered() - delivered));
    screen.result("last_error: " + books.deadError());
  }

  private void burst(CashDesk desk) throws Exception {
    screen.title("Act 4: a burst");
    screen.say(
        text(
            """
            %d orders at once, and the broker is slow. Only %d events may wait in memory;
            the others are left in the table, and the poller fetches them as room comes up.
            """,
            scale.burstOrders(), HOT_QUEUE));
    long hot = metrics.hotEnqueued();
    long left = metrics.hotDropped();
    long delivered = ledger.delivered();
    broker.delayMillis(SLOW_BROKER_MILLIS);
    rush(desk, scale.burstOrders());
    backlog.awaitEmpty();
    broker.delayMillis(0);
    screen.result(
        text(
            "%d went through memory, %d were left to the poller, %d are delivered",
            metrics.hotEnqueued() - hot,
            metrics.hotDropped() - left,
            ledger.delivered() - delivered));
  }

  private static void rush(CashDesk desk, int orders) throws InterruptedException {
    ExecutorService desks = Executors.newFixedThreadPool(CASH_DESKS);
    try {
      List<Callable<Boolean>> customers = new ArrayList<>();
      for (int i = 0; i < orders; i++) {
        customers.add(
            () -> {
              desk.place(Order.PLACED);
              return true;
            });
      }
      for (Future<Boolean> placed : desks.invokeAll(customers)) {
        placed.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("an order could not be placed", e.getCause());
    } finally {
      desks.shutdown();
    }
  }

  private void crash() throws Exception {
    screen.title("Act 5: a node crashes");
    CrashWitness witness = new CrashWitness(ledger);
    try (SecondNode node = database.startSecondNode(scale.crashOrders(), witness)) {
      screen.say("A second node starts: " + node.name() + ".");
      witness.awaitDoom(node);
      screen.say(
          text(
              """
              It has committed %d orders, but its broker hangs. One event got there without
              node B knowing it, the others wait in its memory. All are leased to it for %d s
              at a time, so that no other node touches them. One more order is in an open
              transaction. Now:
                %s
              """,
              scale.crashOrders(), LEASE.toSeconds(), node.crashMethod()));
      node.crash();
      long crashed = System.nanoTime();
      backlog.awaitEmpty();
      screen.result(
          text(
              "this node took over %d events when the lease had expired, %.1f s later",
              ledger.stories().values().stream().filter(OrderStory::isTakenOver).count(),
              (System.nanoTime() - crashed) / (double) TimeUnit.SECONDS.toNanos(1)));
    }
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
