package outbox.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.contracts.inbox.InboxContract;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.inbox.InboxWorkStore;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.schema.InboxSchema;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.OwnerToken;
import outbox.poller.OutboxPoller;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;

/** The inbox on a database of its own; subclasses say {@link On} which. */
abstract class JdbcInboxContract extends InboxContract {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private final MovableNow now = new MovableNow(database);

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value(), on.options());
    InboxSchema.of(database::connect).deploy();
  }

  @AfterAll
  static void drop() {
    if (database != null) {
      database.close();
    }
  }

  @Override
  public final InboxStore store() {
    JdbcInboxStore store = new JdbcInboxStore();
    return now.isMoved() ? store.nowExpression(now.expression()) : store;
  }

  @Override
  public final ConnectionProvider connections() {
    return new DataSourceConnectionProvider(database.dataSource());
  }

  @Override
  public final TransactionRunner transactions() {
    return new JdbcTransactionManager(connections(), new ThreadLocalTxContext());
  }

  @Override
  public final void advance(Duration by) {
    now.advance(by);
  }

  @Override
  public final void stopAt(Instant instant) {
    now.stopAt(instant);
  }

  @Override
  public final Instant now() {
    return now.now();
  }

  /** Truncates: InnoDB keeps deleted keys for a while, and an insert of one locks its neighbour. */
  @Override
  protected final void reset() {
    database.execute("TRUNCATE TABLE outbox_inbox");
    now.reset();
  }

  @Test
  @Spec("IBX-102")
  void inAndOutAreOneTransaction() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    List<String> sent = new CopyOnWriteArrayList<>();
    JdbcOutbox outbox =
        closing(
            JdbcOutbox.builder(database.dataSource())
                .createSchema()
                .listener("accepted", event -> sent.add(event.payloadJson()))
                .start());
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .publishingTo(outbox)
                .config(new OutboxConfig().setLeaseDuration(Duration.ofSeconds(3)))
                .retries(Retries.of(attempts -> 1))
                .transactionalHandler(
                    "placed",
                    (message, connection) -> {
                      int run = runs.incrementAndGet();
                      outbox.publish(EventEnvelope.ofJson("accepted", message.payload() + run));
                      if (run == 1) {
                        throw new IllegalStateException("once more");
                      }
                      if (run == 2) {
                        inbox()
                            .enqueue(
                                InboundMessage.of(
                                    new InboxKey("shop", "message-1"), "placed", "2"));
                      }
                    })
                .start());

    whole.receive(new InboxKey("shop", "message-1"), "placed", "1");

    awaitTrue(() -> status(KEY) == InboxStatus.DONE);
    awaitTrue(() -> !sent.isEmpty());
    assertThat(runs).hasValue(3);
    assertThat(count("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
    assertThat(sent).containsExactly("23");
  }

  @Test
  @Spec("IBX-102")
  void twoPoolsOfOneDatabaseServeInboxAndOutbox() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    HikariDataSource pool = closing(new HikariDataSource(config));
    JdbcOutbox outbox = closing(JdbcOutbox.builder(pool).createSchema().start());
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .publishingTo(outbox)
                .transactionalHandler("placed", (message, connection) -> {})
                .start());

    whole.receive(new InboxKey("shop", "message-1"), "placed", "1");

    awaitTrue(() -> status(KEY) == InboxStatus.DONE);
  }

  private static int count(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  @Spec({"IBX-082", "IBX-084"})
  void workersOfTheirOwnHaveTheAttemptsAndDelaysOfTheInbox() {
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .config(new OutboxConfig().setRetryMaxAttempts(2))
                .retries(Retries.of(attempts -> 0))
                .start());
    whole.enqueue(InboundMessage.of(new InboxKey("shop", "message-1"), "topic", "{}"));

    for (int attempt = 0; attempt < 2; attempt++) {
      awaitTrue(() -> !whole.workStore().claim(ME, LEASE, 1).isEmpty());
      assertThat(whole.workStore().abandon(ME, held(KEY))).containsExactly(KEY);
    }

    assertThat(status(KEY)).isEqualTo(InboxStatus.DEAD);
  }

  @Test
  void aMessageReceivedInATransactionIsHandledSoonAfterItsCommit() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .config(new OutboxConfig().setPollerIntervalMs(3_600_000))
                .handler("topic", (message, context) -> handled.add(message.messageId()))
                .start());
    try (Connection connection = begun()) {
      whole.receive(connection, inbound(KEY, "topic", "{}"));
      connection.commit();
    }
    awaitTrue(() -> handled.size() == 1);
  }

  @Test
  @Spec({"IBX-072", "IBXU-02"})
  void theWholeInboxTakesInHandlesAndWakesItsOwnPoller() {
    List<String> handled = new CopyOnWriteArrayList<>();
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .config(new OutboxConfig().setPollerIntervalMs(60_000))
                .handler("topic", (message, context) -> handled.add(message.messageId()))
                .start());

    whole.enqueue(InboundMessage.of(new InboxKey("shop", "one"), "topic", "{}"));
    awaitTrue(() -> handled.size() == 1);
    whole.enqueue(
        InboundMessage.of(new InboxKey("shop", "two"), "topic", "{}").withHash(new byte[] {1}));
    awaitTrue(() -> handled.size() == 2);
    whole.receive(new InboxKey("shop", "three"), "topic", "{}");
    awaitTrue(() -> handled.size() == 3);

    awaitTrue(
        () ->
            whole.workStore().get(new InboxKey("shop", "three")).orElseThrow().status()
                == InboxStatus.DONE);
    assertThat(handled).containsExactly("one", "two", "three");
  }

  @Test
  @Spec({"IBX-120", "IBXU-05", "IBXU-09"})
  void anInboxAsItComesClaimsFiftyAtATimeForThirtySecondsAsOneWorker() throws Exception {
    receiveMany(120);
    CountDownLatch goOn = new CountDownLatch(1);
    JdbcInbox whole = closing(waitingFor(goOn));
    awaitTrue(() -> tokens("owner_token").values().stream().mapToInt(i -> i).sum() == 120);

    assertThat(tokens("owner_token").values()).contains(50).allMatch(claimed -> claimed <= 50);
    assertThat(latest("1 = 1")).isBetween(now().plusSeconds(10), now().plusSeconds(30));

    goOn.countDown();
    awaitTrue(() -> count("SELECT COUNT(*) FROM outbox_inbox WHERE status = 1") == 120);
    whole.receive(new InboxKey("shop", "later"), "topic", "{}");
    awaitTrue(() -> status(new InboxKey("shop", "later")) == InboxStatus.DONE);
    Set<String> first = workers();
    assertThat(first).hasSize(1);
    whole.close();
    JdbcInbox next = closing(waitingFor(goOn));
    next.receive(new InboxKey("shop", "last"), "topic", "{}");
    awaitTrue(() -> status(new InboxKey("shop", "last")) == InboxStatus.DONE);
    assertThat(workers()).hasSize(2).containsAll(first);
  }

  private static JdbcInbox waitingFor(CountDownLatch goOn) {
    return JdbcInbox.builder(database.dataSource())
        .handler("topic", (message, context) -> goOn.await())
        .start();
  }

  private void receiveMany(int messages) throws SQLException {
    try (Connection connection = begun()) {
      for (int i = 0; i < messages; i++) {
        inbox().receive(connection, inbound(new InboxKey("shop", "m" + i), "topic", "{}"));
      }
      connection.commit();
    }
  }

  /** How many messages have each token; those without one are left out. */
  private static Map<String, Integer> tokens(String column) throws SQLException {
    Map<String, Integer> tokens = new HashMap<>();
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT " + column + ", COUNT(*) FROM outbox_inbox GROUP BY " + column);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        if (row.getString(1) != null) {
          tokens.put(row.getString(1), row.getInt(2));
        }
      }
      return tokens;
    }
  }

  /** What the tokens of completed messages begin with: the node and the run of its process. */
  private static Set<String> workers() throws SQLException {
    return tokens("processed_by").keySet().stream()
        .map(token -> token.substring(0, token.lastIndexOf('.')))
        .collect(toSet());
  }

  private static Instant latest(String where) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "SELECT MAX(available_at) AS latest FROM outbox_inbox WHERE " + where);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return requireNonNull(Dialects.of(connection).getInstant(row, "latest"));
    }
  }

  @Test
  @Spec({"IBX-083", "IBX-084", "IBXU-09"})
  void anInboxAsItComesTriesTenTimes() {
    JdbcInbox.Builder builder = failing();
    inbox().receive(new InboxKey("shop", "ninth"), "topic", "{}");
    inbox().receive(new InboxKey("shop", "tenth"), "topic", "{}");
    database.execute(
        "UPDATE outbox_inbox SET attempts = 8 WHERE message_id = 'ninth'",
        "UPDATE outbox_inbox SET attempts = 9 WHERE message_id = 'tenth'");

    closing(builder.start());

    awaitTrue(() -> status(new InboxKey("shop", "tenth")) == InboxStatus.DEAD);
    awaitTrue(() -> stored(new InboxKey("shop", "ninth")).attempt() == 9);
    assertThat(status(new InboxKey("shop", "ninth"))).isEqualTo(InboxStatus.PROCESSING);
  }

  @Test
  @Spec({"IBX-052", "IBX-080", "IBX-081"})
  void anInboxAsItComesDoublesItsDelaysUpToAMinute() throws Exception {
    int[] seconds = {16, 32, 60, 60};
    for (int i = 0; i < seconds.length; i++) {
      inbox().receive(new InboxKey("shop", "m" + i), "topic", "{}");
      database.execute(
          "UPDATE outbox_inbox SET attempts = " + (3 + i) + " WHERE message_id = 'm" + i + "'");
    }
    Instant before = now();

    closing(failing().start());

    awaitTrue(
        () ->
            count("SELECT COUNT(*) FROM outbox_inbox WHERE last_error IS NOT NULL")
                == seconds.length);
    Instant after = now();
    for (int i = 0; i < seconds.length; i++) {
      assertThat(latest("message_id = 'm" + i + "'"))
          .as("after failure %s", 4 + i)
          .isBetween(before.plusSeconds(seconds[i]), after.plusSeconds(seconds[i]));
    }
  }

  private static JdbcInbox.Builder failing() {
    return JdbcInbox.builder(database.dataSource())
        .handler(
            "topic",
            (message, context) -> {
              throw new IllegalStateException("not now");
            });
  }

  @Test
  @Spec({"IBX-100", "IBXU-09"})
  void anInboxAsItComesKeepsWhatIsDoneForThirtyDays() {
    JdbcInbox.Builder builder = JdbcInbox.builder(database.dataSource());
    assertThat(JdbcInboxes.builder().retention.completed())
        .isEqualTo(builder.retention.completed());
    done("old", Duration.ofDays(31));
    done("young", Duration.ofDays(29));

    closing(builder.retention(builder.retention.interval(Duration.ofMillis(20))).start());

    awaitTrue(() -> work().get(new InboxKey("shop", "old")).isEmpty());
    awaitTrue(() -> !stored(new InboxKey("shop", "young")).hasPayload());
    assertThat(status(new InboxKey("shop", "young"))).isEqualTo(InboxStatus.DONE);
  }

  private void done(String messageId, Duration age) {
    advance(age.negated());
    inbox().receive(new InboxKey("shop", messageId), "topic", "{}");
    inbox().markProcessed(new InboxKey("shop", messageId));
    advance(age);
  }

  /** The next look into the database is an hour away, so a pause between batches ends the test. */
  @Test
  @Spec("IBX-121")
  void thousandsAreHandledInOneGoByFewerStatementsThanMessages() throws Exception {
    int messages = 2_000;
    receiveMany(messages);
    WatchedConnections watched = new WatchedConnections(database.dataSource(), true);
    LeasedEventStore events = store().events();
    InboxHandlers handlers =
        new InboxHandlers().register(InboxHandler.of("topic", (message, context) -> {}));
    OutboxDispatcher dispatcher =
        closing(OutboxDispatcher.builder(watched, events).listeners(handlers).build());
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                watched,
                events,
                dispatcher,
                Duration.ZERO,
                50,
                Duration.ofHours(1).toMillis(),
                MetricsExporter.NOOP));

    poller.start();

    awaitTrue(() -> count("SELECT COUNT(*) FROM outbox_inbox WHERE status = 1") == messages);
    assertThat(watched.statements()).isLessThan(messages);
  }

  @Test
  @Spec("IBX-082")
  void theBackoffIsThePolicysThatIsGiven() {
    List<Integer> asked = new CopyOnWriteArrayList<>();
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .retries(
                    Retries.of(
                        attempts -> {
                          asked.add(attempts);
                          return 1;
                        }))
                .handler(
                    "topic",
                    (message, context) -> {
                      if (message.attempt() < 2) {
                        throw new IllegalStateException("not yet");
                      }
                    })
                .start());

    whole.receive(new InboxKey("shop", "message-1"), "topic", "{}");

    awaitTrue(() -> status(KEY) == InboxStatus.DONE);
    assertThat(asked).containsExactly(1, 2);
  }

  @Test
  void theRulesOfATopicAreItsOwn() {
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .retries("topic", Retries.moderate().never(NumberFormatException.class))
                .handler(
                    "topic",
                    (message, context) -> {
                      throw new IllegalStateException(new NumberFormatException("NaN"));
                    })
                .start());

    whole.receive(new InboxKey("shop", "message-1"), "topic", "{}");

    awaitTrue(() -> status(KEY) == InboxStatus.DEAD);
  }

  @Test
  void aMessageWithUnreadableHeadersDiesAndHoldsUpNoOther() {
    JdbcInbox.Builder builder =
        JdbcInbox.builder(database.dataSource()).handler("topic", (message, context) -> {});
    inbox().receive(new InboxKey("shop", "broken"), "topic", "{}");
    inbox().receive(new InboxKey("shop", "message-1"), "topic", "{}");
    database.execute("UPDATE outbox_inbox SET headers = '[1]' WHERE message_id = 'broken'");

    closing(builder.start());

    awaitTrue(() -> status(KEY) == InboxStatus.DONE);
    awaitTrue(() -> !dead().isEmpty());
    assertThat(dead().get(0).error()).startsWith("undecodable");
    assertThat(InboxMessage.of(dead().get(0)).messageId()).isEqualTo("broken");
  }

  @Test
  void theNoticeOfADeathSaysWhichMessageDiedAndWhatCameWithIt() {
    List<InboxMessage> told = new CopyOnWriteArrayList<>();
    JdbcInbox whole =
        closing(
            JdbcInbox.builder(database.dataSource())
                .onDead((store, letter) -> told.add(InboxMessage.of(letter)))
                .handler(
                    "topic",
                    (message, context) -> {
                      throw new PermanentFailureException("never");
                    })
                .start());

    whole.receive(
        InboundMessage.of(KEY, "topic", "{}")
            .withHash("hash".getBytes(UTF_8))
            .withHeaders(Map.of("trace", "1")));

    awaitTrue(() -> !told.isEmpty());
    assertThat(told.get(0).key()).isEqualTo(KEY);
    assertThat(told.get(0).hash()).isEqualTo("hash".getBytes(UTF_8));
    assertThat(told.get(0).headers()).containsExactly(Map.entry("trace", "1"));
  }

  private List<DeadLetter> dead() {
    return inbox().deadLetters().list(DeadLetterFilter.all(), 10);
  }

  @Test
  @Spec("IBX-104")
  void deadlocksAreTriedAgain() {
    AtomicInteger tries = new AtomicInteger();
    int result =
        connections()
            .inAutoCommit(
                connection ->
                    store().events().inTransaction(connection, () -> deadlockedTwice(tries)));
    assertThat(result).isEqualTo(3);
  }

  @Test
  @Spec("IBX-104")
  void everyCallIsTriedAgainAfterADeadlock() {
    WatchedConnections watched = new WatchedConnections(database.dataSource(), true);

    makeEveryCall(
        watched,
        (name, call) -> {
          watched.deadlockNext(5);
          assertThatThrownBy(call::run).as(name).isInstanceOf(StoreException.class);
          watched.deadlockNext(4);
          call.run();
        });
  }

  @Test
  @Spec("IBX-102")
  void everyCallIsOneStatementOrOneTransaction() {
    WatchedConnections watched = new WatchedConnections(database.dataSource(), true);

    makeEveryCall(
        watched,
        (name, call) -> {
          int statements = watched.statements();
          int alone = watched.alone();
          int commits = watched.commits();
          call.run();
          boolean oneStatement =
              watched.alone() - alone == 1 && watched.statements() - statements == 1;
          boolean oneTransaction = watched.alone() == alone && watched.commits() - commits == 1;
          assertThat(oneStatement || oneTransaction).as(name).isTrue();
        });
  }

  /** Each call has something to do, and checks that it did it. */
  private void makeEveryCall(WatchedConnections watched, BiConsumer<String, Runnable> caller) {
    InboxBuilder setup = Inbox.builder(watched, store());
    Inbox inbox = setup.build();
    InboxWorkStore work = setup.buildWorkStore();
    byte[] hash = {1};
    checked(
        caller,
        "receive",
        () ->
            inbox
                .receive(InboundMessage.of(new InboxKey("shop", "a"), "topic", "{}").withHash(hash))
                .isNew());
    checked(
        caller,
        "receive again",
        () ->
            !inbox
                .receive(InboundMessage.of(new InboxKey("shop", "a"), "topic", "{}").withHash(hash))
                .isNew());
    caller.accept(
        "enqueue",
        () -> inbox.enqueue(InboundMessage.of(new InboxKey("shop", "b"), "topic", "{}")));
    caller.accept(
        "enqueue again",
        () ->
            inbox.enqueue(
                InboundMessage.of(new InboxKey("shop", "b"), "topic", "{}").withHash(hash)));
    caller.accept(
        "enqueue hashed",
        () ->
            inbox.enqueue(
                InboundMessage.of(new InboxKey("shop", "c"), "topic", "{}").withHash(hash)));
    checked(
        caller,
        "alreadyProcessed",
        () -> !inbox.alreadyProcessed(new InboxKey("shop", "seen"), hash));
    checked(
        caller,
        "alreadyProcessed again",
        () -> !inbox.alreadyProcessed(new InboxKey("shop", "seen"), null));
    checked(caller, "markProcessing", () -> inbox.markProcessing(new InboxKey("shop", "seen")));
    checked(caller, "markProcessed", () -> inbox.markProcessed(new InboxKey("shop", "seen")));
    inbox.enqueue(InboundMessage.of(new InboxKey("shop", "d"), "topic", "{}"));
    inbox.enqueue(InboundMessage.of(new InboxKey("shop", "e"), "topic", "{}"));
    checked(caller, "claim", () -> work.claim(ME, LEASE, 10).size() == 5);
    checked(caller, "ack", () -> work.ack(ME, of("a")).size() == 1);
    checked(caller, "abandon", () -> work.abandon(ME, of("b")).size() == 1);
    checked(caller, "abandon for", () -> work.abandon(ME, of("c"), "busy", LEASE).size() == 1);
    checked(caller, "fail", () -> work.fail(ME, of("d"), "broken").size() == 1);
    checked(caller, "markDead", () -> inbox.markDead(new InboxKey("shop", "e")));
    checked(caller, "replay", () -> inbox.replay(List.of(key("d"), key("e")), "ann").size() == 2);
    caller.accept("reapExpired", work::reapExpired);
  }

  private static InboxKey key(String messageId) {
    return new InboxKey("shop", messageId);
  }

  private List<InboxMessage> of(String messageId) {
    return held(new InboxKey("shop", messageId));
  }

  private static void checked(
      BiConsumer<String, Runnable> caller, String name, BooleanSupplier call) {
    caller.accept(name, () -> assertThat(call.getAsBoolean()).as(name).isTrue());
  }

  /** It is as if the message had never come, or as if it had been seen once more. */
  @Test
  @Spec({"IBX-004", "IBX-102"})
  void aCallThatFailsHalfwayBringsNothing() throws Exception {
    Map<String, Consumer<Inbox>> calls =
        Map.of(
            "receive", inbox -> inbox.receive(hashed("two")),
            "enqueue", inbox -> inbox.enqueue(hashed("two")),
            "alreadyProcessed", inbox -> inbox.alreadyProcessed(KEY, new byte[] {2}));
    for (Map.Entry<String, Consumer<Inbox>> call : calls.entrySet()) {
      for (boolean seen : new boolean[] {false, true}) {
        reset();
        if (seen) {
          inbox().alreadyProcessed(KEY, null);
        }
        WatchedConnections watched = new WatchedConnections(database.dataSource(), true);
        Inbox inbox = Inbox.builder(watched, store()).build();
        watched.breakAfter(0);
        for (int allowed = 0; fails(() -> call.getValue().accept(inbox)); allowed++) {
          assertThat(work().get(KEY).isPresent()).as(call.getKey()).isEqualTo(seen);
          if (seen) {
            assertThat(status(KEY)).as(call.getKey()).isEqualTo(InboxStatus.SEEN);
            assertThat(stored(KEY).hasPayload()).as(call.getKey()).isFalse();
            assertThat(stored(KEY).hash()).as(call.getKey()).isNull();
          }
          watched.breakAfter(allowed + 1);
        }
        assertThat(stored(KEY).hash()).as(call.getKey()).isEqualTo(new byte[] {2});
      }
    }
  }

  private static InboundMessage hashed(String payload) {
    return InboundMessage.of(KEY, "topic", payload).withHash(new byte[] {2});
  }

  private static boolean fails(Runnable call) {
    try {
      call.run();
      return false;
    } catch (StoreException e) {
      assertThat(e).hasRootCauseMessage("broken");
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
  @Spec({"IBX-103", "IBX-106"})
  void claimsAtReadCommittedWhateverTheLevelOfThePool(String level) throws Exception {
    int messages = 100;
    receiveMany(messages);
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setTransactionIsolation(level);
    HikariDataSource pool = closing(new HikariDataSource(config));
    InboxWorkStore work =
        Inbox.builder(new DataSourceConnectionProvider(pool), store()).buildWorkStore();
    ConcurrentLinkedQueue<InboxKey> handled = new ConcurrentLinkedQueue<>();
    Callable<Boolean> worker =
        () -> {
          OwnerToken owner = OwnerToken.random();
          for (List<InboxMessage> claimed = work.claim(owner, LEASE, 7);
              !claimed.isEmpty();
              claimed = work.claim(owner, LEASE, 7)) {
            handled.addAll(work.ack(owner, claimed));
          }
          return true;
        };
    ExecutorService executor = Executors.newFixedThreadPool(4);
    try {
      for (Future<Boolean> each : executor.invokeAll(Collections.nCopies(4, worker))) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      executor.shutdownNow();
    }
    worker.call();

    assertThat(handled).hasSize(messages).doesNotHaveDuplicates();
  }

  private static int deadlockedTwice(AtomicInteger tries) {
    if (tries.incrementAndGet() < 3) {
      throw new StoreException("contract", new SQLException("deadlock", "40001"));
    }
    return tries.get();
  }

  @Test
  void nothingIsInsertedThroughTheEventsOfAnInbox() {
    EventEnvelope event = EventEnvelope.ofJson("topic", "{}");
    assertThatThrownBy(
            () ->
                connections()
                    .inAutoCommit(
                        connection -> {
                          store().events().insertNew(connection, event);
                          return event;
                        }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outbox_inbox");
  }
}
