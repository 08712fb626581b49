package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.Outbox;
import outbox.OutboxHandler;
import outbox.Retention;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.testing.OptionTable;
import outbox.testing.Spec;

/** Each option of {@link JdbcOutboxes.Builder} has its default and its effect. */
class OutboxesOptionsTest extends DatabasesOptions<JdbcOutboxes.Builder> {
  static final OptionTable<OutboxesOptionsTest> OPTIONS =
      DatabasesOptions.<OutboxesOptionsTest>ofMany(JdbcOutboxes.Builder.class)
          .option(
              "handler(OutboxHandler)",
              test ->
                  test.isHeard(
                      b -> b.handler(OutboxHandler.of("topic", (m, context) -> test.note()))))
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
                      b ->
                          b.transactionalListener(
                              "topic",
                              (event, connection) -> {
                                if (!connection.getAutoCommit()) {
                                  test.note();
                                }
                              })))
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
          .option("stores(Supplier)", OutboxesOptionsTest::stores)
          .option("joins()", OutboxesOptionsTest::joins)
          .option("joins(Supplier)", OutboxesOptionsTest::joinsInOtherTables);

  static Stream<OptionTable.Row<OutboxesOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  @Spec("OBX-070")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<OutboxesOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
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
  JdbcOutboxes.Builder transactional(JdbcOutboxes.Builder builder, String topic, Body body) {
    return builder.transactionalListener(topic, (event, c) -> body.handle(event.headers()));
  }

  @Override
  Engine start(JdbcOutboxes.Builder builder) {
    JdbcOutboxes built = builder.start();
    return new OutboxEngine(built.getOutbox(KEY), built::close);
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
        Duration.ofMinutes(10),
        500,
        Duration.ofMillis(20),
        Duration.ofSeconds(10));
  }

  private void stores() {
    started(
            handling(
                created()
                    .stores(() -> JdbcOutboxRepository.builder().tableName("shop_outbox").build())))
        .send("topic");
    until(() -> number("SELECT COUNT(*) FROM shop_outbox WHERE status = 1") == 1);
    assertThatThrownBy(() -> count("TRUE")).isNotNull();
  }

  private void joins() {
    assertThatThrownBy(() -> outboxOf(created()).startJoin("group", 1, null))
        .isInstanceOf(IllegalStateException.class);
    join(created().joins());
    assertThat(number("SELECT COUNT(*) FROM outbox_join WHERE status = 1")).isEqualTo(1);
    assertThat(count("event_type = 'join.wait' AND status = 1")).isEqualTo(1);
  }

  private void joinsInOtherTables() {
    join(created().joins(() -> new JdbcJoinStore().joinTableName("fan").waitTopic("fan.wait")));
    assertThat(number("SELECT COUNT(*) FROM fan WHERE status = 1")).isEqualTo(1);
    assertThat(count("event_type = 'fan.wait' AND status = 1")).isEqualTo(1);
  }

  private Outbox outboxOf(JdbcOutboxes.Builder builder) {
    return closing(builder.start()).getOutbox(KEY);
  }

  /** Runs a join of one step up to its continuation. */
  private void join(JdbcOutboxes.Builder builder) {
    Outbox outbox =
        outboxOf(builder.listener("step", event -> {}).listener("next", event -> note()));
    JoinIdentifier join = outbox.startJoin("group", 1, null);
    MessageId step = outbox.enqueue("step", "{}").id();
    outbox.joins().attachAll(join, List.of(step));
    outbox.joins().enqueueJoinWait(join, true, "next", "{}", null, null);
    until(() -> handled.size() == 1);
  }
}
