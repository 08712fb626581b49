package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
import outbox.Retention;
import outbox.StringEventType;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.spi.TransactionRunner;
import outbox.testing.OptionTable;
import outbox.testing.Spec;

/** Each option of {@link JdbcOutbox.Builder} has its default and its effect. */
class OutboxOptionsTest extends EngineOptions<JdbcOutbox.Builder> {
  static final OptionTable<OutboxOptionsTest> OPTIONS =
      EngineOptions.<OutboxOptionsTest>of(JdbcOutbox.Builder.class)
          .option("storeName(String)", OutboxOptionsTest::storeName)
          .option(
              "listener(EventType, EventListener)",
              test ->
                  test.isHeard(b -> b.listener(StringEventType.of("topic"), event -> test.note())))
          .option(
              "listener(String, EventListener)",
              test -> test.isHeard(b -> b.listener("topic", event -> test.note())))
          .option(
              "listener(String, String, EventListener)",
              test ->
                  test.isCalledMail(
                      b ->
                          b.listener(
                              "topic",
                              "mail",
                              event -> {
                                throw refused();
                              })))
          .option(
              "transactionalListener(String, TransactionalEventListener)",
              test ->
                  test.isHeard(
                      b -> b.transactionalListener("topic", (event, c) -> test.noteIfBegun(c))))
          .option(
              "transactionalListener(String, String, TransactionalEventListener)",
              test ->
                  test.isCalledMail(
                      b ->
                          b.transactionalListener(
                              "topic",
                              "mail",
                              (event, c) -> {
                                throw refused();
                              })))
          .option(
              "handler(OutboxHandler)",
              test ->
                  test.isHeard(
                      b -> b.handler(OutboxHandler.of("topic", (m, context) -> test.note()))))
          .option(
              "handler(String, Body)",
              test -> test.isHeard(b -> b.handler("topic", (m, context) -> test.note())))
          .option(
              "handler(String, String, Body)",
              test ->
                  test.isCalledMail(
                      b ->
                          b.handler(
                              "topic",
                              "mail",
                              (m, context) -> {
                                throw refused();
                              })))
          .option(
              "listenerOfAll(EventListener)",
              test -> test.isHeard(b -> b.listenerOfAll(event -> test.note())))
          .option(
              "listenerOfAll(String, EventListener)",
              test ->
                  test.isCalledMail(
                      b ->
                          b.listenerOfAll(
                              "mail",
                              event -> {
                                throw refused();
                              })))
          .option("store(JdbcOutboxRepository)", OutboxOptionsTest::store)
          .option(
              "transactions(TxContext, TransactionRunner)", OutboxOptionsTest::otherTransactions)
          .option("joins()", OutboxOptionsTest::joins)
          .option("joins(JdbcJoinStore)", OutboxOptionsTest::joinsInOtherTables)
          .option("notifyNodes()", OutboxOptionsTest::notifyNodes);

  static Stream<OptionTable.Row<OutboxOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  @Spec({"FRM-62", "FRM-64", "FRM-79", "OBX-103"})
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<OutboxOptionsTest> option) throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
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
  Engine start(JdbcOutbox.Builder builder) {
    JdbcOutbox built = builder.start();
    return new OutboxEngine(built.outbox(), built::close);
  }

  @Override
  String table() {
    return "outbox_event";
  }

  @Override
  String since() {
    return "created_at";
  }

  @Override
  int defaultBatchSize() {
    return 200;
  }

  @Override
  Duration defaultNetworkTimeout() {
    return Duration.ofSeconds(30);
  }

  @Override
  Duration leastRetryDelay() {
    return Duration.ofMillis(100);
  }

  @Override
  Retention defaultRetention() {
    return new Retention(
        null,
        Duration.ofDays(7),
        null,
        null,
        Duration.ofMinutes(1),
        500,
        Duration.ofMillis(20),
        Duration.ofSeconds(10));
  }

  private void noteIfBegun(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      note();
    }
  }

  @Override
  void config() throws Exception {
    super.config();
    startAfresh();
    skipsRecentRowsOfVersionOne();
  }

  private void skipsRecentRowsOfVersionOne() throws Exception {
    database.execute("DROP TABLE outbox_event");
    Version1.create(database.dataSource());
    OutboxSchema.of(database.dataSource()).deploy();
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, "of-version-1", "payload", null, Instant.now());
    }
    OutboxConfig hour = new OutboxConfig().setPollerSkipRecentMs(3_600_000);
    Engine skipping = started(builder().config(hour).listenerOfAll(event -> note()));
    skipping.send("topic");
    until(() -> count("status = 1") == 1);
    assertThat(count("event_id = 'of-version-1' AND status = 0 AND owner_token IS NULL"))
        .isEqualTo(1);
    skipping.close();

    started(builder().listenerOfAll(event -> note()));
    until(() -> count("status = 1") == 2);
  }

  private void storeName() {
    try (LogLines log = LogLines.open()) {
      started(created()).send("topic");
      assertThat(log.contain("enqueued")).isTrue();
      assertThat(log.contain("store=")).isFalse();
      started(created().storeName("shop-7")).send("topic");
      assertThat(log.contain("store=shop-7")).isTrue();
    }
  }

  private void store() {
    JdbcOutboxRepository other = JdbcOutboxRepository.builder().tableName("shop_outbox").build();
    started(handling(created().store(other))).send("topic");
    until(() -> number("SELECT COUNT(*) FROM shop_outbox WHERE status = 1") == 1);
    assertThatThrownBy(() -> count("TRUE")).isNotNull();
    started(created()).send("topic");
    assertThat(count("TRUE")).isEqualTo(1);
  }

  private void otherTransactions() throws Exception {
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    JdbcTransactionManager manager =
        new JdbcTransactionManager(
            new DataSourceConnectionProvider(database.dataSource()), context);
    AtomicInteger begun = new AtomicInteger();
    TransactionRunner counting =
        work -> {
          begun.incrementAndGet();
          manager.run(work);
        };
    JdbcOutbox outbox =
        closing(
            created()
                .transactions(context, counting)
                .transactionalListener("topic", (event, connection) -> note())
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
                      outbox.outbox().enqueue("queued", "{}");
                      throw refused();
                    }))
        .hasMessage("refused");
    assertThat(count("event_type = 'queued'")).isZero();
    assertThatThrownBy(outbox::transactions).isInstanceOf(IllegalStateException.class);
    assertThat(closing(created().start()).transactions()).isNotNull();
  }

  private void joins() {
    assertThatThrownBy(() -> closing(created().start()).joins())
        .isInstanceOf(IllegalStateException.class);
    join(created().joins());
    assertThat(number("SELECT COUNT(*) FROM outbox_join WHERE status = 1")).isEqualTo(1);
    assertThat(count("event_type = 'join.wait' AND status = 1")).isEqualTo(1);
  }

  private void joinsInOtherTables() {
    join(created().joins(new JdbcJoinStore().joinTableName("fan").waitTopic("fan.wait")));
    assertThat(number("SELECT COUNT(*) FROM fan WHERE status = 1")).isEqualTo(1);
    assertThat(count("event_type = 'fan.wait' AND status = 1")).isEqualTo(1);
  }

  /** Runs a join of one step up to its continuation. */
  private void join(JdbcOutbox.Builder builder) {
    JdbcOutbox built =
        closing(builder.listener("step", event -> {}).listener("next", event -> note()).start());
    Outbox outbox = built.outbox();
    JoinIdentifier join = outbox.startJoin("group", 1, null);
    MessageId step = outbox.enqueue("step", "{}").id();
    built.joins().attachAll(join, List.of(step));
    built.joins().enqueueJoinWait(join, true, "next", "{}", null, null);
    until(() -> handled.size() == 1);
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
}
