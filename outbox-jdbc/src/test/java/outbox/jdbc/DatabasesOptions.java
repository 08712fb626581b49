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
import outbox.Retention;
import outbox.contracts.support.OptionTable;
import outbox.routing.OutboxDatabase;

/** The options that the builders for many databases have in common. */
abstract class DatabasesOptions<B extends DatabasesBuilder<B>> extends EngineOptions<B> {
  static final String KEY = "a";

  DatabasesOptions(String table, String since, Duration retryDelay, Retention retention) {
    super(
        new Defaults(
            table,
            since,
            50,
            Duration.ofSeconds(5),
            retryDelay,
            retention.interval(Duration.ofMinutes(10))));
  }

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

  @Override
  B on(DataSource dataSource) {
    return empty().database(KEY, dataSource);
  }

  private void serves(B builder) {
    started(handling(builder.createSchema())).send("topic");
    until(() -> handled.size() == 1);
  }

  final void databaseByDataSource() {
    serves(empty().database(KEY, database.dataSource()));
  }

  final void databaseByUrl() {
    database.execute("CREATE USER shop PASSWORD 'secret' ADMIN");
    serves(empty().database(KEY, database.url(), "shop", "secret"));
    assertThat(number("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE USER_NAME = 'SHOP'"))
        .isPositive();
  }

  private List<OutboxDatabase> all() {
    return List.of(OutboxDatabase.of(KEY, database.dataSource()));
  }

  final void databases() {
    serves(empty().databases(all()));
  }

  final void discovery() {
    serves(empty().discovery(this::all));
  }

  final void discoveryInterval() {
    AtomicInteger asked = new AtomicInteger();
    B counting =
        empty()
            .discovery(
                () -> {
                  asked.incrementAndGet();
                  return all();
                });
    started(counting.discoveryInterval(Duration.ofMillis(20)).createSchema());
    until(() -> asked.get() > 10);
  }

  final void maxConnections() {
    assertThat(threadsOf(created())).as("of 8, without those left to the application").isEqualTo(6);
    assertThat(threadsOf(created().maxConnections(16))).isEqualTo(12);
    hold(12, created().maxConnections(16), 20);
  }

  /** Threads that use a connection each for the engine. */
  private long threadsOf(B builder) {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    Engine engine = started(builder);
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("outbox-store-"))
            .filter(thread -> !before.contains(thread))
            .count();
    engine.close();
    return threads;
  }

  /** Has so many connections held by handlers until the test ends. */
  private Engine hold(int expected, B builder, int workers) {
    Engine producer = started(created().config(new OutboxConfig().setPollerEnabled(false)));
    for (int i = 0; i < workers; i++) {
      producer.send("topic");
    }
    producer.close();
    AtomicInteger held = new AtomicInteger();
    CountDownLatch release = new CountDownLatch(1);
    B holding =
        transactional(
            builder.config(new OutboxConfig().setDispatcherWorkers(workers)),
            "topic",
            headers -> {
              held.incrementAndGet();
              release.await();
            });
    Engine engine = started(holding);
    closing(release::countDown);
    until(() -> held.get() == expected);
    return engine;
  }

  final void connectionTimeout() {
    assertThat(empty().connectionTimeout).isEqualTo(Duration.ofSeconds(5));
    B brief = created().maxConnections(3).connectionTimeout(Duration.ofMillis(100));
    Engine full = hold(2, brief, 2);
    assertThatThrownBy(() -> full.send("topic"))
        .hasStackTraceContaining("within PT0.1S: all of maxConnections=3 are in use");
  }

  final void strategy() {
    AtomicInteger asked = new AtomicInteger();
    serves(
        created()
            .strategy(
                (stores, due) -> {
                  asked.incrementAndGet();
                  return due.iterator().next();
                }));
    assertThat(asked.get()).isPositive();
  }
}
