package outbox.jdbc;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.PayloadListener;
import outbox.Retention;
import outbox.contracts.support.OptionTable;
import outbox.inbox.InboxHandler;
import outbox.inbox.TransactionalInboxHandler;
import outbox.jdbc.PayloadOptions.Letter;

/** Each option of {@link JdbcInboxes.Builder} has its default and its effect. */
class InboxesOptionsTest extends DatabasesOptions<JdbcInboxes.Builder> {
  static final OptionTable<InboxesOptionsTest> OPTIONS =
      PayloadOptions.<JdbcInboxes.Builder, InboxesOptionsTest>ofHandlers(
              DatabasesOptions.<InboxesOptionsTest>ofMany(JdbcInboxes.Builder.class))
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
          .option("publishingTo(JdbcOutboxes)", InboxesOptionsTest::publishingTo)
          .option(
              "tableName(String)",
              t -> t.isKeptIn("shop_inbox", t.created().tableName("shop_inbox")))
          .option("maxPayloadBytes(int)", InboxesOptionsTest::maxPayloadBytes);

  InboxesOptionsTest() {
    super("outbox_inbox", "first_seen_at", Duration.ofSeconds(2), Retention.ofInbox());
  }

  static Stream<OptionTable.Row<InboxesOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<InboxesOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Override
  JdbcInboxes.Builder empty() {
    return JdbcInboxes.builder();
  }

  @Override
  JdbcInboxes.Builder handling(JdbcInboxes.Builder builder, String topic, Body body) {
    return builder.handler(topic, (message, context) -> body.handle(message.headers()));
  }

  @Override
  JdbcInboxes.Builder taking(JdbcInboxes.Builder builder, PayloadListener<Letter> listener) {
    return builder.handler("topic", Letter.class, listener);
  }

  @Override
  JdbcInboxes.Builder transactional(JdbcInboxes.Builder builder, String topic, Body body) {
    return builder.transactionalHandler(topic, (message, c) -> body.handle(message.headers()));
  }

  @Override
  Engine start(JdbcInboxes.Builder builder) {
    JdbcInboxes built = builder.start();
    return Engine.of(built.getInbox(KEY), built.getWorkStore(KEY), built::close);
  }

  private void publishingTo() {
    JdbcOutboxes outboxes =
        closing(JdbcOutboxes.builder().database(KEY, database.dataSource()).createSchema().start());
    publishesInItsTransaction(outboxes.getOutbox(KEY), created().publishingTo(outboxes));
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
