package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.PayloadListener;
import outbox.Retention;
import outbox.contracts.support.OptionTable;
import outbox.inbox.InboxHandler;
import outbox.inbox.TransactionalInboxHandler;
import outbox.jdbc.PayloadOptions.Letter;

/** Each option of {@link JdbcInbox.Builder} has its default and its effect. */
class InboxOptionsTest extends EngineOptions<JdbcInbox.Builder> {
  static final OptionTable<InboxOptionsTest> OPTIONS =
      PayloadOptions.<JdbcInbox.Builder, InboxOptionsTest>ofHandlers(
              EngineOptions.<InboxOptionsTest>of(JdbcInbox.Builder.class))
          .option("storeName(String)", t -> t.isLoggedAs("shop-7", t.created().storeName("shop-7")))
          .option(
              "handler(InboxHandler)",
              t -> t.isHeard(b -> b.handler(InboxHandler.of("topic", t::note))))
          .option("handler(String, Body)", t -> t.isHeard(b -> b.handler("topic", t::note)))
          .option(
              "transactionalHandler(TransactionalInboxHandler)",
              t ->
                  t.isHeard(
                      b ->
                          b.transactionalHandler(
                              TransactionalInboxHandler.of("topic", (m, c) -> t.noteIfBegun(c)))))
          .option(
              "transactionalHandler(String, Body)",
              t -> t.isHeard(b -> b.transactionalHandler("topic", (m, c) -> t.noteIfBegun(c))))
          .option("publishingTo(JdbcOutbox)", InboxOptionsTest::publishingTo)
          .option("transactions(TransactionRunner)", InboxOptionsTest::otherTransactions)
          .option(
              "store(JdbcInboxStore)",
              t ->
                  t.isKeptIn("shop_inbox", t.created().store(JdbcInboxStore.onTable("shop_inbox"))))
          .option("maxPayloadBytes(int)", InboxOptionsTest::maxPayloadBytes);

  InboxOptionsTest() {
    super(
        new Defaults(
            "outbox_inbox",
            "first_seen_at",
            50,
            Duration.ofSeconds(30),
            Duration.ofSeconds(2),
            Retention.ofInbox()));
  }

  static Stream<OptionTable.Row<InboxOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<InboxOptionsTest> option) throws Exception {
    option.experiment().run(this);
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
  JdbcInbox.Builder taking(JdbcInbox.Builder builder, PayloadListener<Letter> listener) {
    return builder.handler("topic", Letter.class, listener);
  }

  @Override
  JdbcInbox.Builder transactional(JdbcInbox.Builder builder, String topic, Body body) {
    return builder.transactionalHandler(topic, (message, c) -> body.handle(message.headers()));
  }

  @Override
  Engine start(JdbcInbox.Builder builder) {
    JdbcInbox built = builder.start();
    return Engine.of(built, built.workStore(), built::close);
  }

  private void publishingTo() {
    JdbcOutbox outbox = closing(JdbcOutbox.builder(database.dataSource()).createSchema().start());
    publishesInItsTransaction(outbox.queue(), created().publishingTo(outbox));
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
                .transactionalHandler("topic", this::note));
    assertThat(begun).hasValue(1);
  }

  private void maxPayloadBytes() {
    isLimitedTo(1_048_576, created());
    isLimitedTo(1_048_577, created().maxPayloadBytes(1_048_577));
    isLimitedTo(2, created().maxPayloadBytes(2));
  }

  @Test
  void workQueueHasTheDelaysOfTheEngine() {
    queueHasTheDelays();
  }
}
