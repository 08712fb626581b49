package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxConfig;
import outbox.PayloadCodec;
import outbox.PayloadListener;
import outbox.Retention;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.OptionTable;
import outbox.dispatch.Retries;
import outbox.jdbc.PayloadOptions.Letter;
import outbox.jdbc.PayloadOptions.TextCodec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.JoinIdentifier;
import outbox.spi.Propagation;

/**
 * The options that the builders of all engines have in common, each with its default and its
 * effect. A subclass names the builder and adds the builder's own options.
 */
abstract class EngineOptions<B extends EngineSettings<B>> extends EngineConfigRules<B> {
  private final CountDownLatch attached = new CountDownLatch(1);

  private static final String DUE_IN_AN_HOUR =
      "available_at > DATEADD('MINUTE', 50, CURRENT_TIMESTAMP)";

  EngineOptions(Defaults defaults) {
    super(defaults);
  }

  /** A table with the options of all engines. */
  static <T extends EngineOptions<?>> OptionTable<T> of(Class<?> builder) {
    return new OptionTable<T>()
        .of(builder)
        .option("config(OutboxConfig)", test -> test.config())
        .option("metrics(MetricsExporter)", test -> test.metrics())
        .option("retries(Retries)", test -> test.retries())
        .option("retries(String, Retries)", test -> test.retriesOfOneTopic())
        .option("retention(Retention)", test -> test.retention())
        .option("keepForever()", test -> test.keepForever())
        .option("onDead(DeadLetterListener)", test -> test.onDead())
        .option("propagation(Propagation)", test -> test.propagation())
        .option("node(String)", test -> test.node())
        .option("codec(PayloadCodec)", test -> test.codec())
        .option("createSchema()", test -> test.createSchema());
  }

  final void config() {
    OutboxConfig once = new OutboxConfig().setRetryMaxAttempts(1);
    B copying = failing(created().config(once), "topic");
    once.setRetryMaxAttempts(9);
    Engine engine = started(copying);
    engine.send("topic");
    until(() -> count("status = 3 AND attempts = 1") == 1);
    engine.close();
    started(failing(created(), "topic")).send("topic");
    until(() -> count("status = 2 AND attempts > 0") == 1);
  }

  final void metrics() {
    CountingMetrics metrics = new CountingMetrics();
    started(handling(created().metrics(metrics))).send("topic");
    until(() -> metrics.success() == 1 && metrics.depthReports() > 0);
  }

  final void retries() {
    Engine usual = started(failing(created(), "topic"));
    usual.send("topic");
    until(() -> count("attempts > 0") == 1);
    usual.close();
    assertThat(
            number(
                "SELECT DATEDIFF('MILLISECOND', %s, available_at) FROM %s"
                    .formatted(defaults.since(), defaults.table())))
        .isBetween((int) defaults.retryDelay().toMillis(), 600_000);
    clear();

    started(failing(created().retries(hourly()), "topic")).send("topic");
    until(() -> count("attempts = 1 AND " + DUE_IN_AN_HOUR) == 1);
  }

  static Retries hourly() {
    return Retries.fixed(Duration.ofHours(1)).jitter(0);
  }

  final void retriesOfOneTopic() {
    B both = failing(failing(created().retries("rare", hourly()), "rare"), "topic");
    Engine engine = started(both);
    engine.send("rare");
    engine.send("topic");
    until(() -> count("attempts > 0") == 2);
    assertThat(count(DUE_IN_AN_HOUR)).isEqualTo(1);
  }

  final void retention() {
    Retention usual = created().retention;
    assertThat(usual).isEqualTo(defaults.retention());
    handle(created(), 2);
    Duration kept = requireNonNull(usual.completed());
    age(kept.minusHours(1), "WHERE TRUE");
    age(kept.plusHours(1), "FETCH FIRST ROW ONLY");
    Engine engine = started(created().retention(usual.interval(Duration.ofMillis(20))));
    until(() -> count("TRUE") == 1);
    engine.close();

    started(created().retention(briefly()));
    until(() -> count("TRUE") == 0);
  }

  private void age(Duration by, String which) {
    database.execute(
        "UPDATE %1$s SET %2$s = %3$s, done_at = %3$s %4$s"
            .formatted(
                defaults.table(),
                defaults.since(),
                "DATEADD('MINUTE', -" + by.toMinutes() + ", CURRENT_TIMESTAMP)",
                which));
  }

  /** Has messages handled by an engine, and closes it. */
  private void handle(B builder, int messages) {
    Engine engine = started(handling(builder));
    for (int i = 0; i < messages; i++) {
      engine.send("topic");
    }
    until(() -> count("status <> 1") == 0);
    engine.close();
  }

  final void keepForever() {
    started(handling(created().retention(briefly()).keepForever())).send("topic");
    until(() -> count("status = 1") == 1);

    TestDatabase other = closing(TestDatabase.create(Product.H2));
    started(handling(on(other.dataSource()).createSchema().retention(briefly()))).send("topic");
    until(
        () ->
            handled.size() == 2 && number(other, "SELECT COUNT(*) FROM " + defaults.table()) == 0);
    assertThat(count("status = 1")).isEqualTo(1);
  }

  final void onDead() {
    List<String> told = new CopyOnWriteArrayList<>();
    B builder = failing(created(), "topic").onDead((store, letter) -> told.add(letter.topic()));
    started(builder.config(new OutboxConfig().setRetryMaxAttempts(1))).send("topic");
    until(() -> told.equals(List.of("topic")));
  }

  final void propagation() {
    List<String> restored = new CopyOnWriteArrayList<>();
    started(handling(created().propagation(trace(restored)))).send("topic");
    until(() -> handled.equals(List.of(Map.of("trace", "of topic"))));
    assertThat(restored).containsExactly("of topic");
  }

  static Propagation trace(List<String> restored) {
    return new Propagation() {
      @Override
      public Map<String, String> headers(String topic) {
        return Map.of("trace", "of " + topic);
      }

      @Override
      public <T> T around(EventEnvelope event, Callable<T> listener) throws Exception {
        restored.add(event.headers().get("trace"));
        return listener.call();
      }
    };
  }

  final void node() {
    handle(created(), 1);
    assertThat(count("processed_by LIKE 'pid" + ProcessHandle.current().pid() + ".%'"))
        .isEqualTo(1);
    handle(created().node("shop-1"), 1);
    assertThat(count("processed_by LIKE 'shop-1.%'")).isEqualTo(1);
  }

  /** Adds a handler that takes its payload as an object. */
  abstract B taking(B builder, PayloadListener<Letter> listener);

  /** The codec counts also if it is set after the listener; one that cannot be used is refused. */
  final void codec() {
    List<Letter> letters = new CopyOnWriteArrayList<>();
    Engine usual = started(taking(created(), letters::add));
    usual.send("topic", "{\"text\":\"read by Jackson\"}");
    until(() -> letters.equals(List.of(new Letter("read by Jackson"))));
    usual.close();
    started(taking(created(), letters::add).codec(new TextCodec())).send("topic", "read as text");
    until(() -> letters.contains(new Letter("read as text")));
    PayloadCodec unusable =
        new TextCodec() {
          @Override
          public String contentType() {
            throw new IllegalStateException("no codec");
          }
        };
    assertThatThrownBy(() -> started(taking(created().codec(unusable), letters::add)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no codec");
    assertThatCode(() -> started(handling(created().codec(unusable)))).doesNotThrowAnyException();
  }

  final void createSchema() {
    assertThatThrownBy(() -> started(handling(on(database.dataSource()))).send("topic"))
        .isInstanceOf(RuntimeException.class);
    assertThat(exists(defaults.table())).isFalse();
    started(created()).send("topic");
    assertThat(count("TRUE")).isEqualTo(1);
  }

  private boolean exists(String table) {
    return number(
            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE LOWER(TABLE_NAME) = '"
                + table
                + "'")
        == 1;
  }

  /** Fails unless what is registered here gets the message. */
  final void isHeard(UnaryOperator<B> registered) {
    started(registered.apply(created())).send("topic");
    until(() -> handled.size() == 1);
  }

  /** Fails unless what is registered here, and fails, is called mail. */
  final void isCalledMail(UnaryOperator<B> registered) {
    started(registered.apply(created())).send("topic");
    until(() -> count("listeners LIKE '%mail%'") == 1);
  }

  /** Fails unless messages are in this table, and the default one is not even created. */
  final void isKeptIn(String table, B builder) {
    started(handling(builder)).send("topic");
    until(() -> number("SELECT COUNT(*) FROM " + table + " WHERE status = 1") == 1);
    assertThat(exists(defaults.table())).isFalse();
  }

  /** Fails unless log lines name a store only if it has a name. */
  final void isLoggedAs(String name, B named) {
    try (LogLines log = LogLines.open()) {
      started(created()).send("topic");
      assertThat(log.from(Level.ALL))
          .anyMatch(line -> line.contains("enqueued"))
          .noneMatch(line -> line.contains("store="));
      started(named).send("topic");
      assertThat(log.from(Level.ALL)).anyMatch(line -> line.contains("store=" + name));
    }
  }

  /** Fails unless payloads of so many bytes are taken, and no larger ones. */
  final void isLimitedTo(int bytes, B builder) {
    Engine engine = started(builder);
    engine.send("topic", "x".repeat(bytes));
    assertThatThrownBy(() -> engine.send("topic", "x".repeat(bytes + 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Fails unless the work queue has the delays of the engine. */
  final void queueHasTheDelays() {
    Engine engine = started(created().retries(hourly()));
    engine.send("topic");
    engine.claim().run();
    assertThat(count(DUE_IN_AN_HOUR)).isEqualTo(1);
  }

  /** Fails unless what a handler sends to this outbox rolls back with it. */
  final void publishesInItsTransaction(Outbox outbox, B builder) {
    AtomicBoolean first = new AtomicBoolean(true);
    B publishing =
        transactional(
            builder.retries(Retries.fixed(Duration.ofMillis(1))),
            "topic",
            headers -> {
              outbox.enqueue("accepted", "{}");
              if (first.getAndSet(false)) {
                refuse();
              }
            });
    started(publishing).send("topic");
    until(() -> count("status = 1") == 1);
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  /** The listener of a step, which ends when the step belongs to its join. */
  final void step(EventEnvelope event) throws InterruptedException {
    attached.await();
  }

  /** Runs a join of one step up to its continuation, which takes note. */
  final void join(Outbox outbox, String table, String waitTopic) {
    JoinIdentifier join = outbox.joins().startJoin("group", 1, null);
    outbox.joins().attach(join, outbox.enqueue("step", "{}").id());
    attached.countDown();
    outbox.joins().enqueueJoinWait(join, true, "next", "{}");
    until(() -> handled.size() == 1);
    assertThat(number("SELECT COUNT(*) FROM " + table + " WHERE status = 1")).isEqualTo(1);
    until(() -> count("event_type = '" + waitTopic + "' AND status = 1") == 1);
  }

  /** Fails unless the joins that have ended are removed when the retention says so. */
  final void forgetsJoins(B joining) {
    started(
        joining.retention(
            Retention.keepForever().joins(Duration.ZERO).interval(Duration.ofMillis(20))));
    until(() -> number("SELECT COUNT(*) FROM outbox_join") == 0);
  }
}
