package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventListener;
import outbox.OutboxConfig;
import outbox.jdbc.db.CuttableProxy;
import outbox.jdbc.db.PostgresServer;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * Connections end, hang or cannot be had in the middle of a load: the engine goes on by itself,
 * every committed event is handled once, and the log stays short.
 *
 * <p>3,000 events each; 30,000 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class HurtConnectionsTest {
  private static final int EVENTS = Chaos.events(3_000, 30_000);
  private static final int INJURIES = 3;

  @TempDir Path directory;
  private final OutboxConfig settings =
      new OutboxConfig().setLeaseDuration(Duration.ofSeconds(3)).setPollerIntervalMs(500);
  private TestDatabase database;
  private OutageLog log;

  @BeforeEach
  void open() throws Exception {
    database = TestDatabase.create(Product.POSTGRES_NEWEST);
    Account.open(database.dataSource());
    log = new OutageLog();
  }

  @AfterEach
  void close() {
    log.close();
    database.close();
  }

  @Test
  void survivesKilledBackends() throws Exception {
    runUnderLoad(
        LocalNode.pool(database.url()),
        () -> PostgresServer.newest().killSessions(database.name()));
    assertBalanced("killed backends");
    assertThat(log.outages()).as(log.toString()).isLessThanOrEqualTo(INJURIES);
  }

  @Test
  void survivesCutConnections() throws Exception {
    try (CuttableProxy proxy = CuttableProxy.to(PostgresServer.newest().port())) {
      runUnderLoad(LocalNode.pool(urlThrough(proxy)), proxy::cut);
    }
    assertBalanced("cut connections");
    assertThat(log.outages()).as(log.toString()).isLessThanOrEqualTo(INJURIES);
  }

  @Test
  void freesItselfFromHangingConnections() throws Exception {
    settings.setNetworkTimeout(Duration.ofSeconds(1));
    try (CuttableProxy proxy = CuttableProxy.to(PostgresServer.newest().port());
        LocalNode node = node(LocalNode.pool(urlThrough(proxy)), event -> {});
        Publishers load = node.publish(8, EVENTS)) {
      node.account().awaitHandled(EVENTS / 4);
      proxy.stall(true);
      await().atMost(Chaos.PATIENCE).until(() -> log.outages() == 1);
      proxy.stall(false);
      load.awaitEnd();
      node.account().awaitAllSettled();
    }
    assertBalanced("hanging connections");
  }

  @Test
  void waitsForAnExhaustedPool() throws Exception {
    int few = 50;
    CountDownLatch held = new CountDownLatch(1);
    HikariConfig config = LocalNode.poolConfig(database.url());
    config.setMaximumPoolSize(2);
    HikariDataSource small = new HikariDataSource(config);
    try (LocalNode node = node(small, event -> held.await())) {
      node.publish(1, few).awaitEnd();
      try (Connection one = small.getConnection();
          Connection two = small.getConnection()) {
        assertThat(one).isNotSameAs(two);
        held.countDown();
        await().atMost(Chaos.PATIENCE).until(() -> log.outages() == 1);
        node.account().awaitHandled(few);
        assertThat(log.recoveries()).as(log.toString()).isZero();
      }
      node.account().awaitAllSettled();
    }
    assertBalanced("exhausted pool");
    assertThat(log.outages()).as(log.toString()).isEqualTo(1);
    assertThat(log.recoveries()).as(log.toString()).isEqualTo(1);
  }

  private void runUnderLoad(HikariDataSource pool, Runnable injury) throws Exception {
    try (LocalNode node = node(pool, event -> {});
        Publishers load = node.publish(8, EVENTS)) {
      for (int i = 1; i <= INJURIES; i++) {
        node.account().awaitHandled(i * EVENTS / (INJURIES + 1));
        injury.run();
      }
      load.awaitEnd();
      node.account().awaitAllSettled();
    }
  }

  private LocalNode node(HikariDataSource pool, EventListener listener) throws Exception {
    return LocalNode.start(
        pool, database.dataSource(), directory.resolve("journal"), settings, listener);
  }

  private void assertBalanced(String what) throws Exception {
    Account account = new Account(database.dataSource(), directory.resolve("journal"));
    account.assertNothingLost();
    account.assertNoneTwice();
    Chaos.report(
        String.format(
            "%s: %d events, %d commits in doubt, %d outages logged",
            what,
            account.stored().size(),
            account.eventIds(Journal.Fact.IN_DOUBT).size(),
            log.outages()));
    assertThat(log.recoveries()).as(log.toString()).isEqualTo(log.outages());
  }

  private String urlThrough(CuttableProxy proxy) {
    return database
        .url()
        .replace(":" + PostgresServer.newest().port() + "/", ":" + proxy.port() + "/");
  }
}
