package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.Retention;
import outbox.dispatch.Retries;
import outbox.inbox.InboxHandler;
import outbox.testing.OptionTable;
import outbox.testing.Spec;

/** Each option of {@link JdbcInboxes.Builder} has its default and its effect. */
class InboxesOptionsTest extends DatabasesOptions<JdbcInboxes.Builder> {
  static final OptionTable<InboxesOptionsTest> OPTIONS =
      DatabasesOptions.<InboxesOptionsTest>ofMany(JdbcInboxes.Builder.class)
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
          .option("publishingTo(JdbcOutboxes)", InboxesOptionsTest::publishingTo)
          .option("tableName(String)", InboxesOptionsTest::tableName)
          .option("maxPayloadBytes(int)", InboxesOptionsTest::maxPayloadBytes);

  static Stream<OptionTable.Row<InboxesOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  @Spec("IBXU-09")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<InboxesOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @Test
  void everyOptionHasAnExperiment() {
    OPTIONS.assertComplete();
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
  JdbcInboxes.Builder transactional(JdbcInboxes.Builder builder, String topic, Body body) {
    return builder.transactionalHandler(topic, (message, c) -> body.handle(message.headers()));
  }

  @Override
  InboxEngine start(JdbcInboxes.Builder builder) {
    JdbcInboxes built = builder.start();
    return new InboxEngine(built.getInbox(KEY), built.getWorkStore(KEY), built::close);
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
        Duration.ofMinutes(10),
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

  private void publishingTo() {
    JdbcOutboxes outboxes =
        closing(
            JdbcOutboxes.builder()
                .database(KEY, database.dataSource())
                .createSchema()
                .listener("accepted", event -> note())
                .start());
    JdbcInboxes.Builder publishing =
        created()
            .publishingTo(outboxes)
            .retries(Retries.of(attempts -> 1))
            .transactionalHandler(
                "topic",
                (message, connection) -> {
                  outboxes.getOutbox(KEY).enqueue("accepted", "{}");
                  if (message.attempt() == 0) {
                    throw refused();
                  }
                });
    started(publishing).send("topic");
    until(() -> handled.size() == 1 && count("status = 1") == 1);
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  private void tableName() {
    started(handling(created().tableName("shop_inbox"))).send("topic");
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
