package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.Outbox;
import outbox.OutboxHandler;
import outbox.PayloadListener;
import outbox.Retention;
import outbox.contracts.support.OptionTable;
import outbox.jdbc.PayloadOptions.Letter;

/** Each option of {@link JdbcOutboxes.Builder} has its default and its effect. */
class OutboxesOptionsTest extends DatabasesOptions<JdbcOutboxes.Builder> {
  static final OptionTable<OutboxesOptionsTest> OPTIONS =
      PayloadOptions.<JdbcOutboxes.Builder, OutboxesOptionsTest>ofListeners(
              DatabasesOptions.<OutboxesOptionsTest>ofMany(JdbcOutboxes.Builder.class))
          .option(
              "handler(OutboxHandler)",
              t -> t.isHeard(b -> b.handler(OutboxHandler.of("topic", t::note))))
          .option(
              "transactionalHandler(TransactionalOutboxHandler)",
              t -> t.isHeard(b -> b.transactionalHandler(t.notingHandler("topic"))))
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
          .option("listenerOfAll(EventListener)", t -> t.isHeard(b -> b.listenerOfAll(t::note)))
          .option(
              "listenerOfAll(String, EventListener)",
              t -> t.isCalledMail(b -> b.listenerOfAll("mail", EngineUnderTest::refuse)))
          .option(
              "stores(Supplier)",
              t ->
                  t.isKeptIn(
                      "shop_outbox",
                      t.created()
                          .stores(
                              () ->
                                  JdbcOutboxRepository.builder().tableName("shop_outbox").build())))
          .option("joins()", OutboxesOptionsTest::joins)
          .option("joins(Supplier)", OutboxesOptionsTest::joinsInOtherTables);

  OutboxesOptionsTest() {
    super("outbox_event", "created_at", Duration.ofMillis(100), Retention.ofOutbox());
  }

  static Stream<OptionTable.Row<OutboxesOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<OutboxesOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Override
  JdbcOutboxes.Builder empty() {
    return JdbcOutboxes.builder();
  }

  @Override
  JdbcOutboxes.Builder handling(JdbcOutboxes.Builder builder, String topic, Body body) {
    return builder.listener(topic, event -> body.handle(event.headers()));
  }

  @Override
  JdbcOutboxes.Builder taking(JdbcOutboxes.Builder builder, PayloadListener<Letter> listener) {
    return builder.listener("topic", Letter.class, listener);
  }

  @Override
  JdbcOutboxes.Builder transactional(JdbcOutboxes.Builder builder, String topic, Body body) {
    return builder.transactionalListener(topic, (event, c) -> body.handle(event.headers()));
  }

  @Override
  Engine start(JdbcOutboxes.Builder builder) {
    JdbcOutboxes built = builder.start();
    return Engine.of(built.getOutbox(KEY), built::close);
  }

  private void joins() {
    try (JdbcOutboxes without = created().start()) {
      assertThatThrownBy(() -> without.getOutbox(KEY).joins().startJoin("group", 1, null))
          .isInstanceOf(IllegalStateException.class);
    }
    join(joining(created().joins()), "outbox_join", "join.wait");
    forgetsJoins(created().joins());
  }

  private void joinsInOtherTables() {
    join(
        joining(
            created().joins(() -> new JdbcJoinStore().joinTableName("fan").waitTopic("fan.wait"))),
        "fan",
        "fan.wait");
  }

  private Outbox joining(JdbcOutboxes.Builder builder) {
    return closing(builder.listener("step", this::step).listener("next", this::note).start())
        .getOutbox(KEY);
  }
}
