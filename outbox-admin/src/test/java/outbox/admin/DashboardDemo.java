package outbox.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.JoinIdentifier;

/**
 * Serves the dashboard on two databases with messages in all states and some load, for those who
 * work on the pages. Arguments: the port, and {@code postgres} for an embedded PostgreSQL.
 */
final class DashboardDemo {
  static final String HTML = "<img src=x onerror=\"document.title='broken'\"> is not run";

  private static final List<String> TOPICS =
      List.of("order.placed", "order.shipped", "invoice.sent", "customer.changed", "mail.queued");
  private static final List<String> TENANTS = List.of("acme", "globex", "initech", "umbrella");

  private final Random random = new Random(7);
  private final SampleQueue queue;

  private DashboardDemo(DataSource dataSource) {
    this.queue = new SampleQueue(dataSource);
  }

  /** Runs until it is killed. */
  public static void main(String[] arguments) throws InterruptedException {
    int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 8085;
    boolean postgres = arguments.length > 1 && arguments[1].equals("postgres");
    TestDatabase shop = TestDatabase.create(postgres ? Product.POSTGRES_NEWEST : Product.H2);
    TestDatabase archive = TestDatabase.create(Product.H2);
    fill(shop.dataSource(), 300);
    fill(archive.dataSource(), 20);
    load(shop.dataSource());
    AdminConfig config =
        AdminConfig.builder(OperatedDatabase.builder("shop", shop.dataSource()).build())
            .database(OperatedDatabase.builder("archive", archive.dataSource()).build())
            .readToken("reader", Tokens.READ)
            .adminToken("admin", Tokens.ADMIN)
            .showPayloads(Role.READ)
            .prometheus()
            .sampling(Duration.ofSeconds(2))
            .build();
    AdminServer server = AdminServer.start(config, "127.0.0.1", port);
    System.out.println(
        server.address() + " token to look: " + Tokens.READ + ", to act: " + Tokens.ADMIN);
    Thread.currentThread().join();
  }

  /** Messages in all states, joins, and an inbox. */
  static void fill(DataSource dataSource, int number) {
    DashboardDemo demo = new DashboardDemo(dataSource);
    demo.events(number);
    demo.joins();
    demo.inbox(number / 5);
  }

  private void events(int number) {
    for (int i = 0; i < number; i++) {
      switch (i % 10) {
        case 0, 1 -> queue.dead(topic(), error(), this::content);
        case 2 -> queue.retrying(topic(), error());
        case 3 -> queue.leased(topic());
        case 4 ->
            queue.pending(
                topic(),
                event ->
                    content(event).dueAt(Instant.now().plusSeconds(60 + random.nextInt(86_400))));
        default -> queue.done(topic());
      }
    }
    queue.dead(
        "html.everywhere",
        HTML,
        event -> event.tenantId(HTML).correlationId(HTML).payloadJson("{\"note\":\"<b>\"}"));
    queue.dead("binary", "undecodable", event -> event.payloadBytes(new byte[] {0, 1, 2, -1}));
  }

  private EventEnvelope.Builder content(EventEnvelope.Builder event) {
    return event
        .tenantId(TENANTS.get(random.nextInt(TENANTS.size())))
        .aggregateType("order")
        .aggregateId("o-" + random.nextInt(1_000))
        .correlationId("c-" + random.nextInt(50))
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .payloadJson("{\"order\":" + random.nextInt(1_000) + ",\"lines\":[{\"sku\":\"a-1\"}]}");
  }

  private String topic() {
    return TOPICS.get(random.nextInt(TOPICS.size()));
  }

  private String error() {
    return switch (random.nextInt(3)) {
      case 0 -> "java.net.SocketTimeoutException: Read timed out";
      case 1 -> "java.lang.IllegalStateException: the warehouse answered 503\n\tat shop.Ship.run";
      default -> "shop.CardDeclinedException: card of customer c-17 was declined";
    };
  }

  private void joins() {
    var outbox = queue.outbox();
    for (int i = 0; i < 6; i++) {
      JoinIdentifier join =
          outbox
              .joins()
              .startJoin("checkout-" + i, 4, "{\"basket\":" + i + "}", Duration.ofDays(1));
      for (int step = 0; step < 3; step++) {
        EventEnvelope message =
            EventEnvelope.builder("checkout.step")
                .dueAt(Instant.now().plusSeconds(86_400))
                .payloadJson("{\"step\":" + step + "}")
                .build();
        var id = outbox.joins().enqueueStep(join, message);
        if (step < i % 4) {
          outbox.joins().reportStepCompleted(join, id);
        }
      }
      outbox.joins().enqueueJoinWait(join, true, "checkout.done", "{}", "checkout.failed", "{}");
      if (i == 5) {
        outbox.joins().cancelJoin(join);
      }
    }
  }

  private void inbox(int number) {
    for (int i = 0; i < number; i++) {
      if (i % 3 == 0) {
        queue.receiveDead("bank", "payment-" + i, error());
      } else {
        queue.receive("carrier/eu", "parcel-" + i, "{\"parcel\":" + i + "}");
      }
    }
    queue.receiveDead("html", HTML, HTML);
  }

  /** Some thirty events a second, of which a few fail and very few die. */
  private static void load(DataSource dataSource) {
    Random random = new Random(3);
    JdbcOutbox outbox =
        JdbcOutbox.builder(dataSource)
            .joins()
            .config(new OutboxConfig().setRetryMaxAttempts(3))
            .handler(
                "load.work",
                (message, context) -> {
                  int chance = random.nextInt(1_000);
                  if (chance < 2) {
                    throw new PermanentFailureException("out of stock");
                  }
                  if (chance < 30) {
                    throw new IllegalStateException("try again");
                  }
                })
            .start();
    var unused =
        Executors.newSingleThreadScheduledExecutor()
            .scheduleAtFixedRate(
                () ->
                    outbox
                        .queue()
                        .enqueue(
                            EventEnvelope.builder("load.work")
                                .tenantId("acme")
                                .payloadJson("{}")
                                .build()),
                0,
                33,
                TimeUnit.MILLISECONDS);
  }

  /** Known to everybody: for demonstrations only. */
  static final class Tokens {
    static final String READ = "look-around-0123456789";
    static final String ADMIN = "do-something-0123456789";

    private Tokens() {}
  }
}
