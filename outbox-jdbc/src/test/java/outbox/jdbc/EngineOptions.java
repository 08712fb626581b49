package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.dispatch.Retries;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.OwnerToken;
import outbox.spi.Propagation;
import outbox.testing.CountingMetrics;
import outbox.testing.OptionTable;

/**
 * The options that the builders of all engines have in common, each with its default and its
 * effect. A subclass names the builder and adds the builder's own options.
 */
@Timeout(180)
abstract class EngineOptions<B extends EngineSettings<B>> {
  static final OwnerToken ME = new OwnerToken("me");
  static final Duration LEASE = Duration.ofMinutes(1);

  /** The network timeout of the check at the start, which nothing changes. */
  private static final int CHECK_TIMEOUT = 10_000;

  static final String IN_ABOUT_AN_HOUR = "available_at > DATEADD('MINUTE', 50, CURRENT_TIMESTAMP)";

  static final Propagation TRACE =
      new Propagation() {
        @Override
        public Map<String, String> headers(String topic) {
          return Map.of("trace", "of " + topic);
        }
      };

  final TestDatabase database = TestDatabase.create(Product.H2);
  final List<Map<String, String>> handled = new CopyOnWriteArrayList<>();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** A table with the options of all engines. */
  static <T extends EngineOptions<?>> OptionTable<T> of(Class<?> builder) {
    return new OptionTable<T>()
        .of(builder)
        .option("config(OutboxConfig)", test -> test.config())
        .option("metrics(MetricsExporter)", test -> test.metrics())
        .option("retries(Retries)", test -> test.retries())
        .option("retries(String, Retries)", test -> test.retriesOfOneTopic())
        .option("retention(Retention)", test -> test.retention())
        .option("noRetention()", test -> test.noRetention())
        .option("onDead(DeadLetterListener)", test -> test.onDead())
        .option("propagation(Propagation)", test -> test.propagation())
        .option("node(String)", test -> test.node())
        .option("createSchema()", test -> test.createSchema());
  }

  /** Receives the headers of a message. */
  @FunctionalInterface
  interface Body {
    void handle(Map<String, String> headers) throws Exception;
  }

  /** What was built, and the same messages as a work queue. */
  interface Engine extends AutoCloseable {
    void send(String topic);

    /** Leases what is due, as a worker of its own does. */
    void claim();

    /** Gives what {@link #claim} has leased back as failed. */
    void abandon();

    @Override
    void close();
  }

  /** A builder on a database, with nothing else set. */
  abstract B on(DataSource dataSource);

  /** Adds a handler of a topic. */
  abstract B handling(B builder, String topic, Body body);

  abstract Engine start(B builder);

  abstract String table();

  /** The column that says when a message came. */
  abstract String since();

  abstract int defaultBatchSize();

  abstract Duration defaultNetworkTimeout();

  /** The shortest delay after the first failure. */
  abstract Duration leastRetryDelay();

  abstract Retention defaultRetention();

  @AfterEach
  void closeAll() throws Exception {
    closeEngines();
    database.close();
  }

  private void closeEngines() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  B builder() {
    return on(database.dataSource());
  }

  /** A builder that creates its schema. */
  B created() {
    return builder().createSchema();
  }

  B handling(B builder) {
    return handling(builder, "topic", handled::add);
  }

  B failing(B builder) {
    return handling(
        builder,
        "topic",
        headers -> {
          throw refused();
        });
  }

  void note() {
    handled.add(Map.of());
  }

  /** Fails unless what is registered here gets the message. */
  void isHeard(Setting<B> registered) {
    started(registered.on(created())).send("topic");
    until(() -> handled.size() == 1);
  }

  /** Fails unless what is registered here, and fails, is called mail. */
  void isCalledMail(Setting<B> registered) {
    started(registered.on(created())).send("topic");
    until(() -> count("listeners LIKE '%mail%'") == 1);
  }

  static IllegalStateException refused() {
    return new IllegalStateException("refused");
  }

  Engine started(B builder) {
    return closing(start(builder));
  }

  void config() throws Exception {
    configuresRetries();
    startAfresh();
    configuresTheWorkQueue();
    startAfresh();
    configuresThePoller();
    startAfresh();
    configuresTheNetworkTimeout();
  }

  private void configuresRetries() throws Exception {
    Engine usual = started(failing(created()));
    usual.send("topic");
    until(() -> count("status = 2 AND attempts > 0") == 1);
    usual.close();
    clear();
    OutboxConfig once = new OutboxConfig().setRetryMaxAttempts(1);
    B copying = failing(created().config(once));
    once.setRetryMaxAttempts(9);
    started(copying).send("topic");
    until(() -> count("status = 3 AND attempts = 1") == 1);
  }

  private void configuresTheWorkQueue() throws SQLException {
    OutboxConfig off = new OutboxConfig().setPollerEnabled(false);
    assertThat(statusAfterAbandon(off)).isEqualTo(2);
    assertThat(statusAfterExpiries(off, 3)).isEqualTo(0);
    off.setRetryMaxAttempts(1).setMaxLeaseExpiries(2);
    assertThat(statusAfterAbandon(off)).isEqualTo(3);
    assertThat(statusAfterExpiries(off, 3)).isEqualTo(3);
  }

  private int statusAfterAbandon(OutboxConfig config) throws SQLException {
    Engine engine = started(created().config(config));
    engine.send("topic");
    engine.claim();
    engine.abandon();
    return statusAndClear();
  }

  private int statusAfterExpiries(OutboxConfig config, int expiries) throws SQLException {
    Engine engine = started(created().config(config));
    engine.send("topic");
    for (int i = 0; i <= expiries; i++) {
      engine.claim();
      database.execute(
          "UPDATE " + table() + " SET available_at = DATEADD('HOUR', -1, CURRENT_TIMESTAMP)");
    }
    return statusAndClear();
  }

  private int statusAndClear() throws SQLException {
    int status = number("SELECT status FROM " + table());
    clear();
    return status;
  }

  private void configuresThePoller() throws Exception {
    assertThat(batchOf(created())).isEqualTo(defaultBatchSize());
    OutboxConfig other = new OutboxConfig().setDispatcherWorkers(2);
    assertThat(batchOf(created().config(other))).isEqualTo(defaultBatchSize());
    assertThat(batchOf(created().config(new OutboxConfig().setPollerBatchSize(7)))).isEqualTo(7);

    List<Map<String, String>> handledHere = new CopyOnWriteArrayList<>();
    B off = created().config(new OutboxConfig().setPollerEnabled(false));
    started(handling(off, "topic", handledHere::add)).send("topic");
    started(handling(created()));
    until(() -> handled.size() == 1);
    assertThat(handledHere).isEmpty();

    CountingMetrics looks = new CountingMetrics();
    OutboxConfig often = new OutboxConfig().setPollerIntervalMs(20);
    started(handling(created().config(often).metrics(looks)));
    until(() -> looks.depthReports() > 50);
  }

  /** How many messages one statement claims: those with the same owner. */
  private int batchOf(B builder) throws Exception {
    int messages = 230;
    Engine producer = started(created().config(new OutboxConfig().setPollerEnabled(false)));
    for (int i = 0; i < messages; i++) {
      producer.send("topic");
    }
    CountDownLatch release = new CountDownLatch(1);
    Engine engine = started(handling(builder, "topic", headers -> release.await()));
    closing(release::countDown);
    until(() -> count("owner_token IS NOT NULL") == messages);
    int largest =
        number(
            "SELECT MAX(size) FROM (SELECT COUNT(*) AS size FROM "
                + table()
                + " GROUP BY owner_token)");
    release.countDown();
    engine.close();
    clear();
    return largest;
  }

  private void configuresTheNetworkTimeout() throws Exception {
    OutboxConfig seven = new OutboxConfig().setNetworkTimeout(Duration.ofSeconds(7));
    int usual = (int) defaultNetworkTimeout().toMillis();
    assertThat(timeoutsOfEngine(config -> config)).containsOnly(usual);
    assertThat(timeoutsOfEngine(config -> config.config(seven))).containsOnly(7_000);
    assertThat(
            timeoutsOfHousekeeping(new OutboxConfig().setNetworkTimeout(defaultNetworkTimeout())))
        .containsOnly(usual);
    assertThat(timeoutsOfHousekeeping(seven)).containsOnly(7_000);
  }

  /** Sets options of a builder. */
  @FunctionalInterface
  interface Setting<B> {
    B on(B builder);
  }

  private Set<Integer> timeoutsOfEngine(Setting<B> setting) throws Exception {
    TimedConnections timed = new TimedConnections(database.dataSource());
    Engine engine = started(handling(setting.on(on(timed.dataSource()).createSchema())));
    engine.send("topic");
    until(() -> count("status = 1") == 1);
    engine.close();
    clear();
    return besideTheCheck(timed);
  }

  /** An engine that has nothing to do looks for old messages only. */
  private Set<Integer> timeoutsOfHousekeeping(OutboxConfig config) {
    TimedConnections timed = new TimedConnections(database.dataSource());
    Engine engine =
        started(
            on(timed.dataSource())
                .createSchema()
                .config(config.copy().setPollerEnabled(false))
                .retention(Retention.ofOutbox().interval(Duration.ofMillis(20))));
    until(() -> !besideTheCheck(timed).isEmpty());
    engine.close();
    return besideTheCheck(timed);
  }

  private static Set<Integer> besideTheCheck(TimedConnections timed) {
    return timed.timeouts().stream()
        .filter(timeout -> timeout != CHECK_TIMEOUT)
        .collect(Collectors.toSet());
  }

  void metrics() {
    CountingMetrics metrics = new CountingMetrics();
    started(handling(created().metrics(metrics))).send("topic");
    until(() -> metrics.success() == 1 && metrics.depthReports() > 0);
  }

  void retries() throws Exception {
    started(failing(created().retries(hourly()))).send("topic");
    until(() -> count("attempts = 1 AND " + IN_ABOUT_AN_HOUR) == 1);
    startAfresh();

    started(failing(created())).send("topic");
    until(() -> count("attempts > 0") == 1);
    assertThat(count(IN_ABOUT_AN_HOUR)).isZero();
    assertThat(
            number("SELECT DATEDIFF('MILLISECOND', " + since() + ", available_at) FROM " + table()))
        .isGreaterThanOrEqualTo((int) leastRetryDelay().toMillis());
  }

  static Retries hourly() {
    return Retries.fixed(Duration.ofHours(1)).jitter(0);
  }

  void retriesOfOneTopic() throws Exception {
    B builder = created().retries("rare", hourly());
    Engine engine =
        started(
            handling(
                failing(builder),
                "rare",
                headers -> {
                  throw refused();
                }));
    engine.send("rare");
    engine.send("topic");
    until(() -> count("attempts > 0") == 2);
    assertThat(count(IN_ABOUT_AN_HOUR)).isEqualTo(1);
  }

  void retention() throws Exception {
    Retention usual = builder().retention;
    assertThat(usual).isEqualTo(defaultRetention());
    Duration kept = requireNonNull(usual.completed());
    handleOne(created());
    handleOne(created());
    age(kept.minusHours(1), "TRUE");
    age(kept.plusHours(1), "event_id = (SELECT MIN(event_id) FROM " + table() + ")");
    Engine engine = started(created().retention(usual.interval(Duration.ofMillis(20))));
    until(() -> count("TRUE") == 1);
    engine.close();

    started(created().retention(briefly()));
    until(() -> count("TRUE") == 0);
  }

  static Retention briefly() {
    return Retention.forEver().completed(Duration.ZERO).interval(Duration.ofMillis(20));
  }

  void age(Duration by, String which) {
    database.execute(
        "UPDATE "
            + table()
            + " SET done_at = DATEADD('MINUTE', -"
            + by.toMinutes()
            + ", CURRENT_TIMESTAMP) WHERE "
            + which);
  }

  void handleOne(B builder) {
    int expected = count("status = 1") + 1;
    Engine engine = started(handling(builder));
    engine.send("topic");
    until(() -> count("status = 1") == expected);
    engine.close();
  }

  void noRetention() {
    Engine kept = started(handling(created().retention(briefly()).noRetention()));
    kept.send("topic");
    until(() -> count("status = 1") == 1);

    TestDatabase other = closing(TestDatabase.create(Product.H2));
    Engine removed = started(handling(on(other.dataSource()).createSchema().retention(briefly())));
    removed.send("topic");
    until(() -> handled.size() == 2 && number(other, "SELECT COUNT(*) FROM " + table()) == 0);

    assertThat(count("status = 1")).isEqualTo(1);
  }

  void onDead() {
    List<String> told = new CopyOnWriteArrayList<>();
    B builder =
        failing(created())
            .config(new OutboxConfig().setRetryMaxAttempts(1))
            .onDead((store, letter) -> told.add(letter.topic()));
    started(builder).send("topic");
    until(() -> told.equals(List.of("topic")));
  }

  void propagation() {
    started(handling(created().propagation(TRACE))).send("topic");
    until(() -> handled.size() == 1);
    assertThat(handled.get(0)).isEqualTo(Map.of("trace", "of topic"));
  }

  void node() {
    handleOne(created());
    assertThat(count("processed_by LIKE 'pid" + ProcessHandle.current().pid() + ".%'"))
        .isEqualTo(1);
    handleOne(created().node("shop-1"));
    assertThat(count("processed_by LIKE 'shop-1.%'")).isEqualTo(1);
  }

  void createSchema() {
    assertThatThrownBy(() -> started(handling(builder())).send("topic"))
        .isInstanceOf(RuntimeException.class);
    assertThatThrownBy(() -> database.execute("SELECT * FROM " + table())).isNotNull();
    started(created()).send("topic");
    assertThat(count("TRUE")).isEqualTo(1);
  }

  /** Closes every engine and empties the table. */
  void startAfresh() throws Exception {
    closeEngines();
    clear();
  }

  void clear() {
    database.execute("DELETE FROM " + table());
  }

  int count(String condition) {
    return number("SELECT COUNT(*) FROM " + table() + " WHERE " + condition);
  }

  int number(String query) {
    return number(database, query);
  }

  static int number(TestDatabase database, String query) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static void until(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
