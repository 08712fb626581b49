package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.PayloadListener;
import outbox.Retention;
import outbox.StringEventType;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.OptionTable;
import outbox.jdbc.PayloadOptions.Letter;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** Each option of {@link JdbcOutbox.Builder} has its default and its effect. */
class OutboxOptionsTest extends EngineOptions<JdbcOutbox.Builder> {
  static final OptionTable<OutboxOptionsTest> OPTIONS =
      PayloadOptions.<JdbcOutbox.Builder, OutboxOptionsTest>ofListeners(
              EngineOptions.<OutboxOptionsTest>of(JdbcOutbox.Builder.class))
          .option("storeName(String)", t -> t.isLoggedAs("shop-7", t.created().storeName("shop-7")))
          .option(
              "listener(EventType, EventListener)",
              t -> t.isHeard(b -> b.listener(StringEventType.of("topic"), t::note)))
          .option(
              "listener(String, EventListener)", t -> t.isHeard(b -> b.listener("topic", t::note)))
          .option(
              "listener(String, String, EventListener)",
              t -> t.isCalledMail(b -> b.listener("topic", "mail", EngineUnderTest::refuse)))
          .option(
              "transactionalListener(String, TransactionalEventListener)",
              t -> t.isHeard(b -> b.transactionalListener("topic", (e, c) -> t.noteIfBegun(c))))
          .option(
              "transactionalListener(String, String, TransactionalEventListener)",
              t ->
                  t.isCalledMail(
                      b -> b.transactionalListener("topic", "mail", EngineUnderTest::refuse)))
          .option(
              "handler(OutboxHandler)",
              t -> t.isHeard(b -> b.handler(OutboxHandler.of("topic", t::note))))
          .option(
              "transactionalHandler(TransactionalOutboxHandler)",
              t -> t.isHeard(b -> b.transactionalHandler(t.notingHandler("topic"))))
          .option("handler(String, Body)", t -> t.isHeard(b -> b.handler("topic", t::note)))
          .option(
              "handler(String, String, Body)",
              t -> t.isCalledMail(b -> b.handler("topic", "mail", EngineUnderTest::refuse)))
          .option("listenerOfAll(EventListener)", t -> t.isHeard(b -> b.listenerOfAll(t::note)))
          .option(
              "listenerOfAll(String, EventListener)",
              t -> t.isCalledMail(b -> b.listenerOfAll("mail", EngineUnderTest::refuse)))
          .option(
              "store(JdbcOutboxRepository)",
              t ->
                  t.isKeptIn(
                      "shop_outbox",
                      t.created()
                          .store(JdbcOutboxRepository.builder().tableName("shop_outbox").build())))
          .option(
              "transactions(TxContext, TransactionRunner)", OutboxOptionsTest::otherTransactions)
          .option("joins()", OutboxOptionsTest::joins)
          .option("joins(JdbcJoinStore)", OutboxOptionsTest::joinsInOtherTables)
          .option("notifyNodes()", OutboxOptionsTest::notifyNodes);

  OutboxOptionsTest() {
    super(
        new Defaults(
            "outbox_event",
            "created_at",
            200,
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Retention.ofOutbox()));
  }

  static Stream<OptionTable.Row<OutboxOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<OutboxOptionsTest> option) throws Exception {
    option.experiment().run(this);
  }

  @Override
  JdbcOutbox.Builder on(DataSource dataSource) {
    return JdbcOutbox.builder(dataSource);
  }

  @Override
  JdbcOutbox.Builder handling(JdbcOutbox.Builder builder, String topic, Body body) {
    return builder.listener(topic, event -> body.handle(event.headers()));
  }

  @Override
  JdbcOutbox.Builder taking(JdbcOutbox.Builder builder, PayloadListener<Letter> listener) {
    return builder.listener("topic", Letter.class, listener);
  }

  @Override
  JdbcOutbox.Builder transactional(JdbcOutbox.Builder builder, String topic, Body body) {
    return builder.transactionalListener(topic, (event, c) -> body.handle(event.headers()));
  }

  @Override
  Engine start(JdbcOutbox.Builder builder) {
    JdbcOutbox built = builder.start();
    return Engine.of(built.queue(), built::close);
  }

  private void otherTransactions() throws Exception {
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    JdbcTransactionManager manager =
        new JdbcTransactionManager(
            new DataSourceConnectionProvider(database.dataSource()), context);
    AtomicInteger begun = new AtomicInteger();
    JdbcOutbox outbox =
        closing(
            created()
                .transactions(
                    context,
                    work -> {
                      begun.incrementAndGet();
                      manager.run(work);
                    })
                .transactionalListener("topic", this::note)
                .start());

    manager.run(connection -> outbox.publish(EventEnvelope.ofJson("topic", "{}")));
    until(() -> handled.size() == 1);
    assertThat(begun).hasValue(1);
    outbox.inTransaction(connection -> {});
    assertThat(begun).hasValue(2);
    assertThatThrownBy(
            () ->
                manager.run(
                    connection -> {
                      outbox.queue().enqueue("queued", "{}");
                      refuse();
                    }))
        .hasMessage("refused");
    assertThat(count("event_type = 'queued'")).isZero();
    assertThatThrownBy(outbox::transactions).isInstanceOf(IllegalStateException.class);
    assertThat(closing(created().start()).transactions()).isNotNull();
  }

  private void joins() {
    try (JdbcOutbox without = created().start()) {
      assertThatThrownBy(without::joins).isInstanceOf(IllegalStateException.class);
    }
    join(joining(created().joins()), "outbox_join", "join.wait");
    forgetsJoins(created().joins());
  }

  private void joinsInOtherTables() {
    JdbcJoinStore other = new JdbcJoinStore().joinTableName("fan").waitTopic("fan.wait");
    join(joining(created().joins(other)), "fan", "fan.wait");
  }

  private Outbox joining(JdbcOutbox.Builder builder) {
    return closing(builder.listener("step", this::step).listener("next", this::note).start())
        .queue();
  }

  private void notifyNodes() {
    assertThatThrownBy(() -> started(created().notifyNodes()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("PostgreSQL");
    TestDatabase postgres = closing(TestDatabase.create(Product.POSTGRES_NEWEST));
    String listening =
        "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = '"
            + postgres.name()
            + "'";
    started(handling(on(postgres.dataSource()).createSchema())).send("topic");
    until(() -> handled.size() == 1);
    assertThat(number(postgres, listening)).isZero();
    started(handling(on(postgres.dataSource()).notifyNodes()));
    until(() -> number(postgres, listening) == 1);
  }

  @Test
  void clientHasTheMetricsAndThePropagation() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    JdbcOutbox.Builder builder = created().metrics(metrics).propagation(trace(new ArrayList<>()));
    JdbcOutbox outbox = closing(handling(builder).start());
    outbox.inTransaction(c -> outbox.publish(EventEnvelope.ofJson("topic", "{}")));
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
    until(() -> handled.equals(List.of(Map.of("trace", "of topic"))));
  }

  @Test
  void recentRowsOfVersionOneAreSkippedAsLongAsConfigured() throws Exception {
    Version1.create(database.dataSource());
    OutboxSchema.of(database.dataSource()).deploy();
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, "of-version-1", "payload", null, Instant.now());
    }
    OutboxConfig hour = new OutboxConfig().setPollerSkipRecentMs(3_600_000);
    Engine skipping = started(created().config(hour).listenerOfAll(this::note));
    skipping.send("topic");
    until(() -> count("status = 1") == 1);
    assertThat(count("event_id = 'of-version-1' AND status = 0 AND owner_token IS NULL"))
        .isEqualTo(1);
    skipping.close();

    started(created().listenerOfAll(this::note));
    until(() -> count("status = 1") == 2);
  }
}
