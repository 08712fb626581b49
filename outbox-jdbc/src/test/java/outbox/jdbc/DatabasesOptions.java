package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import outbox.OutboxConfig;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.testing.OptionTable;

/** The options that the builders for many databases have in common. */
abstract class DatabasesOptions<B extends DatabasesBuilder<B>> extends EngineOptions<B> {
  static final String KEY = "a";

  static <T extends DatabasesOptions<?>> OptionTable<T> ofMany(Class<?> builder) {
    return EngineOptions.<T>of(builder)
        .option("database(String, DataSource)", test -> test.databaseByDataSource())
        .option("database(String, String, String, String)", test -> test.databaseByUrl())
        .option("databases(Collection)", test -> test.databases())
        .option("discovery(OutboxDatabaseDiscovery)", test -> test.discovery())
        .option("discoveryInterval(Duration)", test -> test.discoveryInterval())
        .option("maxConnections(int)", test -> test.maxConnections())
        .option("connectionTimeout(Duration)", test -> test.connectionTimeout())
        .option("strategy(OutboxSelectionStrategy)", test -> test.strategy());
  }

  abstract B empty();

  /** Adds a handler that runs in a transaction. */
  abstract B transactional(B builder, String topic, Body body);

  @Override
  B on(DataSource dataSource) {
    return empty().database(KEY, dataSource);
  }

  @Override
  int defaultBatchSize() {
    return 50;
  }

  @Override
  Duration defaultNetworkTimeout() {
    return Duration.ofSeconds(5);
  }

  private void serves(B builder) {
    started(handling(builder.createSchema())).send("topic");
    until(() -> handled.size() == 1);
  }

  void databaseByDataSource() {
    serves(empty().database(KEY, database.dataSource()));
  }

  void databaseByUrl() {
    serves(empty().database(KEY, database.url(), "", ""));
  }

  private List<OutboxDatabase> all() {
    return List.of(OutboxDatabase.of(KEY, database.dataSource()));
  }

  void databases() {
    serves(empty().databases(all()));
  }

  void discovery() {
    serves(empty().discovery(this::all));
  }

  void discoveryInterval() {
    assertThat(empty().discoveryInterval).isEqualTo(Duration.ofMinutes(5));
    AtomicInteger asked = new AtomicInteger();
    OutboxDatabaseDiscovery counting =
        () -> {
          asked.incrementAndGet();
          return all();
        };
    started(empty().discovery(counting).discoveryInterval(Duration.ofMillis(20)).createSchema());
    until(() -> asked.get() > 10);
  }

  void maxConnections() throws Exception {
    assertThat(threadsOf(created())).as("of 8, without those left to the application").isEqualTo(6);
    assertThat(threadsOf(created().maxConnections(16))).isEqualTo(12);

    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger held = holdAll(created().maxConnections(16), release);
    until(() -> held.get() == 12);
    release.countDown();
  }

  /** Threads that use a connection each for the engine. */
  private long threadsOf(B builder) {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    started(builder);
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-database-"))
        .filter(thread -> !before.contains(thread))
        .count();
  }

  /** Handlers hold as many connections as they get; returns how many those are. */
  private AtomicInteger holdAll(B builder, CountDownLatch release) throws Exception {
    Engine producer = started(created().config(new OutboxConfig().setPollerEnabled(false)));
    for (int i = 0; i < 20; i++) {
      producer.send("topic");
    }
    producer.close();
    AtomicInteger held = new AtomicInteger();
    B holding =
        transactional(
            builder.config(new OutboxConfig().setDispatcherWorkers(20)),
            "topic",
            headers -> {
              held.incrementAndGet();
              release.await();
              held.decrementAndGet();
            });
    running = started(holding);
    closing(release::countDown);
    return held;
  }

  @SuppressWarnings("NullAway.Init")
  private Engine running;

  void connectionTimeout() throws Exception {
    assertThat(empty().connectionTimeout).isEqualTo(Duration.ofSeconds(5));
    CountDownLatch release = new CountDownLatch(1);
    B brief = created().maxConnections(3).connectionTimeout(Duration.ofMillis(100));
    AtomicInteger held = holdAll(brief, release);
    until(() -> held.get() == 2);

    long begin = System.nanoTime();
    assertThatThrownBy(() -> running.send("topic")).hasMessageContaining("maxConnections=3");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
    release.countDown();
  }

  void strategy() {
    assertThat(empty().strategy).isInstanceOf(RoundRobinOutboxSelectionStrategy.class);
    AtomicInteger asked = new AtomicInteger();
    OutboxSelectionStrategy counting =
        new OutboxSelectionStrategy() {
          @Override
          public OutboxStore select(List<OutboxStore> stores, Set<OutboxStore> due) {
            asked.incrementAndGet();
            return due.iterator().next();
          }
        };
    serves(empty().database(KEY, database.dataSource()).strategy(counting));
    assertThat(asked.get()).isPositive();
  }
}
