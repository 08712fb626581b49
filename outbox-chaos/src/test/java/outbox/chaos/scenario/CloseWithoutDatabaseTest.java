package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.Retention;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxes;
import outbox.jdbc.db.CuttableProxy;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.routing.OutboxDatabase;

/**
 * The database ends before the outbox is closed, with a pool that lets every thread wait for half a
 * minute. Closing takes the close timeout at the most, whatever waits for a connection.
 */
@Tag("slow")
class CloseWithoutDatabaseTest {
  /** The default close timeout, and two seconds for a machine that has other things to do. */
  private static final Duration LIMIT = new OutboxConfig().getCloseTimeout().plusSeconds(2);

  private static final OutboxConfig CONFIG =
      new OutboxConfig().setLeaseDuration(Duration.ofSeconds(4)).setPollerIntervalMs(100);
  private static final Retention BUSY = Retention.ofOutbox().interval(Duration.ofMillis(50));

  private enum Trouble {
    STOPPED,
    SILENT
  }

  private static Stream<Arguments> cases() {
    return Stream.of(Product.POSTGRES_NEWEST, Product.MARIADB, Product.MYSQL)
        .flatMap(product -> Stream.of(Trouble.values()).map(each -> Arguments.of(product, each)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void outboxClosesInTime(Product product, Trouble trouble) throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    try (TestDatabase database = TestDatabase.create(product);
        CuttableProxy proxy = CuttableProxy.to(port(database));
        CountingPool pool = new CountingPool(through(proxy, database), 8)) {
      JdbcOutbox.Builder builder =
          JdbcOutbox.builder(pool)
              .createSchema()
              .joins()
              .retention(BUSY)
              .config(CONFIG)
              .listener("ends", event -> ended.await())
              .listener("runs on", event -> never.await())
              .transactionalListener("writes", (event, connection) -> ended.await());
      JdbcOutbox outbox = (product.isInnoDb() ? builder : builder.notifyNodes()).start();
      for (String type : new String[] {"ends", "runs on", "writes"}) {
        outbox.inTransaction(c -> outbox.publish(EventEnvelope.ofJson(type, "{}")));
      }
      begin(trouble, proxy);
      ended.countDown();
      awaitWaiting(pool);

      assertClosesInTime(outbox::close, proxy);
    } finally {
      never.countDown();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void inboxClosesInTime(Product product, Trouble trouble) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (TestDatabase database = TestDatabase.create(product);
        CuttableProxy proxy = CuttableProxy.to(port(database));
        CountingPool pool = new CountingPool(through(proxy, database), 8)) {
      JdbcInbox inbox =
          JdbcInbox.builder(pool)
              .createSchema()
              .config(CONFIG)
              .handler(
                  "topic",
                  (message, context) -> {
                    begun.countDown();
                    ended.await();
                  })
              .start();
      inbox.receive(new InboxKey("test", "1"), "topic", "{}");
      begun.await();
      begin(trouble, proxy);
      ended.countDown();
      awaitWaiting(pool);

      assertClosesInTime(inbox::close, proxy);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void outboxesOfManyDatabasesCloseInTime(Product product, Trouble trouble) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (TestDatabase database = TestDatabase.create(product);
        CuttableProxy proxy = CuttableProxy.to(port(database))) {
      JdbcOutboxes outboxes =
          JdbcOutboxes.builder()
              .databases(List.of(OutboxDatabase.of("one", through(proxy, database))))
              .createSchema()
              .config(CONFIG)
              .handler(
                  OutboxHandler.of(
                      "topic",
                      (message, context) -> {
                        begun.countDown();
                        ended.await();
                      }))
              .start();
      outboxes.getOutbox("one").enqueue("topic", "{}");
      begun.await();
      begin(trouble, proxy);
      ended.countDown();

      assertClosesInTime(outboxes::close, proxy);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void idleOutboxClosesAtOnce(Product product, Trouble trouble) throws Exception {
    try (TestDatabase database = TestDatabase.create(product);
        CuttableProxy proxy = CuttableProxy.to(port(database));
        CountingPool pool = new CountingPool(through(proxy, database), 8)) {
      JdbcOutbox outbox =
          JdbcOutbox.builder(pool)
              .createSchema()
              .config(CONFIG)
              .listener("Any", event -> {})
              .start();
      begin(trouble, proxy);
      assertClosesInTime(outbox::close, proxy);
    }
  }

  private static void begin(Trouble trouble, CuttableProxy proxy) {
    if (trouble == Trouble.STOPPED) {
      proxy.refuse(true);
      proxy.cut();
    } else {
      proxy.stall(true);
    }
  }

  private static void awaitWaiting(CountingPool pool) {
    await()
        .atMost(Chaos.PATIENCE)
        .until(
            () ->
                pool.getHikariPoolMXBean().getThreadsAwaitingConnection()
                        + pool.getHikariPoolMXBean().getActiveConnections()
                    >= 2);
  }

  /** Ends what is silent afterwards, for which the pool would wait when it is closed. */
  private static void assertClosesInTime(Runnable close, CuttableProxy proxy) {
    long begun = System.nanoTime();
    close.run();
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    begin(Trouble.STOPPED, proxy);
    Chaos.report("closing without a database took " + took);
    assertThat(took).isLessThan(LIMIT);
  }

  private static int port(TestDatabase database) {
    return URI.create(database.url().substring("jdbc:".length())).getPort();
  }

  private static String through(CuttableProxy proxy, TestDatabase database) {
    return database.url().replace(":" + port(database) + "/", ":" + proxy.port() + "/");
  }
}
