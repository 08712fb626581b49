package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.Retention;
import outbox.dispatch.Retries;
import outbox.inbox.InboxHandler;
import outbox.testing.OptionTable;
import outbox.testing.Spec;

/** Each option of {@link JdbcInbox.Builder} has its default and its effect. */
class InboxOptionsTest extends EngineOptions<JdbcInbox.Builder> {
  static final OptionTable<InboxOptionsTest> OPTIONS =
      EngineOptions.<InboxOptionsTest>of(JdbcInbox.Builder.class)
          .option("storeName(String)", InboxOptionsTest::storeName)
          .option(
              "handler(InboxHandler)",
              test ->
                  test.isHeard(
                      b -> b.handler(InboxHandler.of("topic", (m, context) -> test.note()))))
          .option(
              "handler(String, Body)",
              test -> test.isHeard(b -> b.handler("topic", (m, context) -> test.note())))
          .option(
              "transactionalHandler(String, Body)",
              test ->
                  test.isHeard(
                      b ->
                          b.transactionalHandler(
                              "topic",
                              (m, connection) -> {
                                if (!connection.getAutoCommit()) {
                                  test.note();
                                }
                              })))
          .option("publishingTo(JdbcOutbox)", InboxOptionsTest::publishingTo)
          .option("transactions(TransactionRunner)", InboxOptionsTest::otherTransactions)
          .option("store(JdbcInboxStore)", InboxOptionsTest::store)
          .option("maxPayloadBytes(int)", InboxOptionsTest::maxPayloadBytes);

  static Stream<OptionTable.Row<InboxOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  @Spec("IBXU-09")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<InboxOptionsTest> option) throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
  }

  @Override
  JdbcInbox.Builder on(DataSource dataSource) {
    return JdbcInbox.builder(dataSource);
  }

  @Override
  JdbcInbox.Builder handling(JdbcInbox.Builder builder, String topic, Body body) {
    return builder.handler(topic, (message, context) -> body.handle(message.headers()));
  }

  @Override
  InboxEngine start(JdbcInbox.Builder builder) {
    JdbcInbox built = builder.start();
    return new InboxEngine(built.inbox(), built.workStore(), built::close);
  }

  @Override
  String table() {
    return "outbox_inbox";
  }

  @Override
  String since() {
    return "first_seen_at";
  }

  @Override
  int defaultBatchSize() {
    return 50;
  }

  @Override
  Duration defaultNetworkTimeout() {
    return Duration.ofSeconds(30);
  }

  @Override
  Duration leastRetryDelay() {
    return Duration.ofSeconds(2);
  }

  @Override
  Retention defaultRetention() {
    return new Retention(
        Duration.ofDays(7),
        Duration.ofDays(30),
        null,
        null,
        Duration.ofMinutes(1),
        500,
        Duration.ofMillis(20),
        Duration.ofSeconds(10));
  }

  /** The work queue has the same delays. */
  @Override
  void retries() throws Exception {
    super.retries();
    startAfresh();
    Engine queue = started(created().retries(hourly()));
    queue.send("topic");
    queue.claim();
    queue.abandon();
    assertThat(count(IN_ABOUT_AN_HOUR)).isEqualTo(1);
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

  private void publishingTo() {
    JdbcOutbox outbox =
        closing(
            JdbcOutbox.builder(database.dataSource())
                .createSchema()
                .listener("accepted", event -> note())
                .start());
    JdbcInbox.Builder publishing =
        created()
            .publishingTo(outbox)
            .retries(Retries.of(attempts -> 1))
            .transactionalHandler(
                "topic",
                (message, connection) -> {
                  outbox.publish(EventEnvelope.ofJson("accepted", "{}"));
                  if (message.attempt() == 0) {
                    throw refused();
                  }
                });
    started(publishing).send("topic");
    until(() -> handled.size() == 1 && count("status = 1") == 1);
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  private void otherTransactions() {
    AtomicInteger begun = new AtomicInteger();
    JdbcTransactionManager manager =
        new JdbcTransactionManager(
            new DataSourceConnectionProvider(database.dataSource()), new ThreadLocalTxContext());
    isHeard(
        builder ->
            builder
                .transactions(
                    work -> {
                      begun.incrementAndGet();
                      manager.run(work);
                    })
                .transactionalHandler("topic", (message, connection) -> note()));
    assertThat(begun).hasValue(1);
  }

  private void store() {
    started(handling(created().store(JdbcInboxStore.onTable("shop_inbox")))).send("topic");
    until(() -> number("SELECT COUNT(*) FROM shop_inbox WHERE status = 1") == 1);
    assertThatThrownBy(() -> count("TRUE")).isNotNull();
  }

  private void maxPayloadBytes() {
    String largest = "x".repeat(1_048_576);
    InboxEngine usual = closing(start(created()));
    usual.send("topic", largest);
    assertThatThrownBy(() -> usual.send("topic", largest + "x"))
        .isInstanceOf(IllegalArgumentException.class);
    closing(start(created().maxPayloadBytes(1_048_577))).send("topic", largest + "x");
    assertThatThrownBy(() -> closing(start(created().maxPayloadBytes(2))).send("topic", "xxx"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
