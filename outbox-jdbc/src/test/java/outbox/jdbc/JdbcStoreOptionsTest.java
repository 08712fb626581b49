package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.contracts.support.OptionTable;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxWorkStore;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.query.BoundedQueries;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** Each option of the stores, of their schemas and of queries over them has its effect. */
@Timeout(180)
class JdbcStoreOptionsTest {
  private static final OwnerToken ME = new OwnerToken("me");
  private static final Duration LEASE = Duration.ofMinutes(1);

  static final OptionTable<JdbcStoreOptionsTest> OPTIONS =
      new OptionTable<JdbcStoreOptionsTest>()
          .of(JdbcOutboxRepositoryBuilder.class)
          .option("tableName(String)", JdbcStoreOptionsTest::tableName)
          .option("deleteWhenDone(boolean)", JdbcStoreOptionsTest::deleteWhenDone)
          .option("maxErrorLength(int)", JdbcStoreOptionsTest::maxErrorLength)
          .option("terminalHook(TerminalHook)", JdbcStoreOptionsTest::terminalHook)
          .of(JdbcInboxStore.class)
          .option("maxErrorLength(int)", JdbcStoreOptionsTest::maxErrorLengthOfAnInbox)
          .of(JdbcJoinStore.class)
          .option("tableName(String)", JdbcStoreOptionsTest::tableOfEvents)
          .option("joinTableName(String)", JdbcStoreOptionsTest::tableOfJoins)
          .option("waitTopic(String)", JdbcStoreOptionsTest::waitTopic)
          .of(OutboxSchema.class)
          .option("tableName(String)", JdbcStoreOptionsTest::schemaOfAnotherTable)
          .option("withJoins()", JdbcStoreOptionsTest::schemaWithJoins)
          .option("withJoins(String)", JdbcStoreOptionsTest::schemaWithOtherJoins)
          .option("withRoutines()", JdbcStoreOptionsTest::schemaWithRoutines)
          .option("backfillRate(int)", JdbcStoreOptionsTest::backfillRate)
          .option("forced()", JdbcStoreOptionsTest::forced)
          .option("version1Zone(ZoneId)", JdbcStoreOptionsTest::version1Zone)
          .option("allowLocking()", JdbcStoreOptionsTest::allowLocking)
          .of(InboxSchema.class)
          .option("tableName(String)", JdbcStoreOptionsTest::schemaOfAnotherInbox)
          .of(BoundedQueries.Builder.class)
          .option("table(String, String)", JdbcStoreOptionsTest::words)
          .option("name(String, String)", JdbcStoreOptionsTest::words)
          .option("timeLimit(Duration)", JdbcStoreOptionsTest::timeLimit);

  private final TestDatabase database = TestDatabase.create(Product.H2);

  static Stream<OptionTable.Row<JdbcStoreOptionsTest>> options() {
    return OPTIONS.rows();
  }

  @ParameterizedTest
  @MethodSource("options")
  void optionHasItsDefaultAndItsEffect(OptionTable.Row<JdbcStoreOptionsTest> option)
      throws Exception {
    option.experiment().run(this);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  private DataSourceConnectionProvider connections() {
    return new DataSourceConnectionProvider(database.dataSource());
  }

  private OutboxSchema schema() {
    return OutboxSchema.of(database.dataSource());
  }

  private Outbox outboxOn(JdbcOutboxRepositoryBuilder builder) {
    return OutboxBuilder.of(connections(), builder.build()).build();
  }

  private int number(String query) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean exists(String table) {
    try {
      database.execute("SELECT * FROM " + table);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private void tableName() {
    schema().deploy();
    schema().tableName("shop_outbox").deploy();
    outboxOn(JdbcOutboxRepository.builder()).enqueue("topic", "{}");
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
    outboxOn(JdbcOutboxRepository.builder().tableName("shop_outbox")).enqueue("topic", "{}");
    assertThat(number("SELECT COUNT(*) FROM shop_outbox")).isEqualTo(1);
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  private void deleteWhenDone() {
    schema().deploy();
    acknowledge(JdbcOutboxRepository.builder());
    assertThat(number("SELECT COUNT(*) FROM outbox_event WHERE status = 1")).isEqualTo(1);
    acknowledge(JdbcOutboxRepository.builder().deleteWhenDone(true));
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  private MessageId acknowledge(JdbcOutboxRepositoryBuilder builder) {
    Outbox outbox = outboxOn(builder);
    MessageId id = outbox.enqueue("topic", "{}").id();
    outbox.claim(ME, LEASE, 10);
    assertThat(outbox.ack(ME, List.of(id))).containsExactly(id);
    return id;
  }

  private void maxErrorLength() {
    schema().deploy();
    assertThat(errorLength(JdbcOutboxRepository.builder())).isEqualTo(4000);
    assertThat(errorLength(JdbcOutboxRepository.builder().maxErrorLength(70))).isEqualTo(70);
  }

  private int errorLength(JdbcOutboxRepositoryBuilder builder) {
    Outbox outbox = outboxOn(builder);
    MessageId id = outbox.enqueue("topic", "{}").id();
    outbox.claim(ME, LEASE, 10);
    outbox.fail(ME, List.of(id), "x".repeat(5000));
    return number(
        "SELECT LENGTH(last_error) FROM outbox_event WHERE event_id = '" + id.value() + "'");
  }

  private void terminalHook() {
    schema().deploy();
    List<String> ended = new CopyOnWriteArrayList<>();
    MessageId id =
        acknowledge(
            JdbcOutboxRepository.builder()
                .terminalHook(
                    (connection, status, ids) -> {
                      assertThat(status).isEqualTo(EventStatus.DONE);
                      ended.addAll(ids);
                      return () -> {};
                    }));
    assertThat(ended).containsExactly(id.value());
  }

  private void maxErrorLengthOfAnInbox() {
    InboxSchema.of(database.dataSource()).tableName("shop_inbox").deploy();
    JdbcInboxStore store = JdbcInboxStore.onTable("shop_inbox");
    assertThat(errorLength(store)).isEqualTo(4000);
    assertThat(errorLength(store.maxErrorLength(70))).isEqualTo(70);
  }

  private int errorLength(JdbcInboxStore store) {
    InboxBuilder builder = Inbox.builder(connections(), store);
    database.execute("DELETE FROM shop_inbox");
    builder.build().enqueue(InboundMessage.of(new InboxKey("shop", "1"), "topic", "{}"));
    InboxWorkStore work = builder.buildWorkStore();
    work.fail(ME, work.claim(ME, LEASE, 10), "x".repeat(5000));
    return number("SELECT LENGTH(last_error) FROM shop_inbox");
  }

  private void tableOfEvents() throws SQLException {
    schema().tableName("shop_outbox").withJoins().deploy();
    try (Connection connection = connections().getConnection()) {
      assertThatThrownBy(() -> new JdbcJoinStore().check(connection))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("outbox_event");
      JdbcJoinStore beside = new JdbcJoinStore().tableName("shop_outbox");
      assertThatCode(() -> beside.check(connection)).doesNotThrowAnyException();
    }
  }

  private void tableOfJoins() {
    schema().withJoins().deploy();
    schema().withJoins("fan").deploy();
    join(new JdbcJoinStore());
    assertThat(number("SELECT COUNT(*) FROM outbox_join")).isEqualTo(1);
    join(new JdbcJoinStore().joinTableName("fan"));
    assertThat(number("SELECT COUNT(*) FROM fan")).isEqualTo(1);
    assertThat(number("SELECT COUNT(*) FROM outbox_join")).isEqualTo(1);
  }

  private void join(JdbcJoinStore store) {
    JoinTracker tracker = new JoinTracker(store);
    JdbcOutboxRepository events = JdbcOutboxRepository.builder().terminalHook(tracker).build();
    JoinCoordinator.builder(connections(), events, tracker).build().startJoin("group", 1, null);
  }

  private void waitTopic() {
    assertThat(waitTopicOf(new JdbcJoinStore())).isEqualTo("join.wait");
    assertThat(waitTopicOf(new JdbcJoinStore().waitTopic("fan.wait"))).isEqualTo("fan.wait");
  }

  private String waitTopicOf(JdbcJoinStore store) {
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(database.dataSource()).createSchema().joins(store).start()) {
      JoinIdentifier join = outbox.joins().startJoin("group", 1, null);
      MessageId id = outbox.joins().enqueueJoinWait(join, true, "next", "{}", null, null);
      String topic = outbox.joins().waitHandler().topic();
      assertThat(
              number(
                  "SELECT COUNT(*) FROM outbox_event WHERE event_id = '"
                      + id.value()
                      + "' AND event_type = '"
                      + topic
                      + "'"))
          .isEqualTo(1);
      return topic;
    }
  }

  private void schemaOfAnotherTable() {
    schema().tableName("shop_outbox").deploy();
    assertThat(exists("shop_outbox")).isTrue();
    assertThat(exists("outbox_event")).isFalse();
    schema().deploy();
    assertThat(exists("outbox_event")).isTrue();
  }

  private void schemaWithJoins() {
    schema().deploy();
    assertThat(exists("outbox_join")).isFalse();
    schema().withJoins().deploy();
    assertThat(exists("outbox_join")).isTrue();
  }

  private void schemaWithOtherJoins() {
    schema().withJoins("fan").deploy();
    assertThat(exists("fan")).isTrue();
    assertThat(exists("outbox_join")).isFalse();
  }

  private void backfillRate() throws SQLException {
    Version1.create(database.dataSource());
    for (int i = 0; i < 20; i++) {
      insertByVersion1("event-" + i, Instant.now().minusSeconds(3600));
    }
    long begin = System.nanoTime();
    schema().backfillRate(20).migrate(progress -> {});
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isGreaterThanOrEqualTo(Duration.ofMillis(990));
    assertThat(schema().rowsWithoutKey()).isZero();
  }

  private void insertByVersion1(String id, Instant now) throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, id, "payload", null, now);
    }
  }

  private void forced() throws SQLException {
    Version1.create(database.dataSource());
    schema().deploy();
    insertByVersion1("just-now", Instant.now());
    schema().migrate(progress -> {});
    assertThatThrownBy(() -> schema().finalizeUpgrade()).isInstanceOf(IllegalStateException.class);
    schema().forced().finalizeUpgrade();
    assertThat(schema().check().finalized()).isTrue();
  }

  /** On a database whose columns carry no zone. */
  private void version1Zone() throws SQLException {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    ZoneId kolkata = ZoneId.of("Asia/Kolkata");
    try (TestDatabase mariaDb = TestDatabase.create(Product.MARIADB)) {
      Version1.create(mariaDb.dataSource());
      try (Connection connection = mariaDb.dataSource().getConnection()) {
        Instant local = now.atZone(kolkata).toLocalDateTime().toInstant(ZoneOffset.UTC);
        Version1.insert(connection, "a", "payload", null, local);
      }
      OutboxSchema zoneless = OutboxSchema.of(mariaDb.dataSource());
      assertThatThrownBy(zoneless::deploy).hasMessageContaining("created in the future");
      zoneless.version1Zone(kolkata).deploy();
      assertThat(EventRow.find(mariaDb.dataSource(), "a").orElseThrow().createdAt()).isEqualTo(now);
    }
  }

  /** On a database where writers have to wait for a large table's new index. */
  private void allowLocking() {
    try (TestDatabase mariaDb = TestDatabase.create(Product.MARIADB)) {
      Version1.create(mariaDb.dataSource());
      mariaDb.execute(
          "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
              + " created_at) SELECT seq, 'Old', '{}', 1, '2020-01-01', '2020-01-01'"
              + " FROM seq_1_to_10001");
      OutboxSchema schema = OutboxSchema.of(mariaDb.dataSource());
      assertThatThrownBy(schema::deploy).hasMessageContaining("allowLocking()");
      schema.allowLocking().deploy();
      assertThat(schema.check().isUsable()).isTrue();
    }
  }

  private void schemaWithRoutines() {
    assertThatThrownBy(() -> schema().withRoutines().deploy())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "there are no stored routines for H2, only for PostgreSQL and SQL Server; leave out"
                + " --routines, or withRoutines()");
    assertThat(exists("outbox_event")).isFalse();
    try (TestDatabase postgres = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      OutboxSchema schema = OutboxSchema.of(postgres.dataSource());
      schema.deploy();
      assertThat(schema.check().isUsable()).isTrue();
      assertThat(schema.withRoutines().check().missing())
          .containsExactly("stored routines of this version");

      schema.withRoutines().deploy();

      assertThat(schema.withRoutines().check().isUsable()).isTrue();
      postgres.execute("SELECT outbox_event_enqueue('Topic', '{}')");
    }
  }

  private void schemaOfAnotherInbox() {
    InboxSchema.of(database.dataSource()).tableName("shop_inbox").deploy();
    assertThat(exists("shop_inbox")).isTrue();
    assertThat(exists("outbox_inbox")).isFalse();
    InboxSchema.of(database.dataSource()).deploy();
    assertThat(exists("outbox_inbox")).isTrue();
  }

  private BoundedQueries.Builder queries(DataSource dataSource) {
    return BoundedQueries.builder(dataSource, JdbcStoreOptionsTest.class, "options")
        .table("events", "PUBLIC.shop_outbox")
        .name("answer", "42");
  }

  private void words() {
    schema().tableName("shop_outbox").deploy();
    outboxOn(JdbcOutboxRepository.builder().tableName("shop_outbox")).enqueue("topic", "{}");
    List<String> answers =
        queries(database.dataSource())
            .build()
            .look(
                session ->
                    session.query(
                        "words",
                        values -> {},
                        row ->
                            row.integer("size")
                                + " in "
                                + row.required("name")
                                + ", "
                                + row.integer("answer")));
    assertThat(answers).containsExactly("1 in shop_outbox, 42");
  }

  private void timeLimit() {
    assertThat(silence(builder -> builder)).containsOnly(15_000);
    assertThat(silence(builder -> builder.timeLimit(Duration.ofSeconds(1)))).containsOnly(3_000);
    BoundedQueries brief = queries(database.dataSource()).timeLimit(Duration.ofSeconds(1)).build();
    long begin = System.nanoTime();
    assertThatThrownBy(
            () ->
                brief.look(
                    session -> session.query("endless", values -> {}, row -> row.integer("size"))))
        .hasMessageContaining("statement endless failed");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
  }

  /** How long a server may say nothing: three times as long as a statement may take. */
  private Set<Integer> silence(UnaryOperator<BoundedQueries.Builder> setting) {
    TimedConnections timed = new TimedConnections(database.dataSource());
    schema().tableName("shop_outbox").deploy();
    setting
        .apply(queries(timed.dataSource()))
        .build()
        .look(session -> session.query("words", values -> {}, row -> row.integer("size")));
    return timed.timeouts();
  }
}
