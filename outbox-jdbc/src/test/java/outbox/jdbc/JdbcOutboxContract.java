package outbox.jdbc;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.OutboxMessage;
import outbox.contracts.queue.OutboxContract;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/** The work queue on a database of its own; subclasses say {@link On} which. */
abstract class JdbcOutboxContract extends OutboxContract {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final OwnerToken OWNER = new OwnerToken("owner");

  @SuppressWarnings("NullAway.Init")
  private static StoreOnDatabase fixture;

  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions =
      new JdbcTransactionManager(connections(), txContext);

  @BeforeAll
  static void deploy(TestInfo test) {
    fixture = StoreOnDatabase.of(test);
  }

  @AfterAll
  static void drop() {
    if (fixture != null) {
      fixture.close();
    }
  }

  @Override
  public final LeasedEventStore store() {
    return fixture.store();
  }

  @Override
  public final ConnectionProvider connections() {
    return new DataSourceConnectionProvider(fixture.entered().dataSource());
  }

  @Override
  public final TxContext txContext() {
    return txContext;
  }

  @Override
  public final TransactionRunner transactions() {
    return transactions;
  }

  @Override
  public final void advance(Duration by) {
    fixture.advance(by);
  }

  @Override
  public final Instant now() {
    return fixture.now();
  }

  @Override
  public final Optional<Row> row(String eventId) {
    return fixture.row(eventId);
  }

  @Override
  public final void insertByOldVersion(String eventId, String headersJson) {
    fixture.insertByOldVersion(eventId, headersJson);
  }

  @Override
  protected final void reset() {
    fixture.reset();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
  @Spec({"OBX-092", "OBX-095"})
  void claimsAtReadCommittedWhateverTheLevelOfThePool(String level) throws Exception {
    int messages = 300;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.entered().url());
    config.setTransactionIsolation(level);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      Outbox outbox = OutboxBuilder.of(new DataSourceConnectionProvider(pool), store()).build();
      outbox.enqueueAll(
          IntStream.range(0, messages)
              .mapToObj(
                  i ->
                      EventEnvelope.builder("topic")
                          .payloadJson("{}")
                          .expiresAt(i % 10 == 0 ? now().minusSeconds(1) : null)
                          .build())
              .toList());
      ConcurrentLinkedQueue<MessageId> handled = new ConcurrentLinkedQueue<>();
      List<Callable<Integer>> workers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        workers.add(() -> workOff(outbox, handled));
      }
      ExecutorService executor = Executors.newFixedThreadPool(workers.size());
      try {
        for (Future<Integer> worker : executor.invokeAll(workers)) {
          worker.get();
        }
      } finally {
        executor.shutdownNow();
      }
      workOff(outbox, handled);
      assertThat(handled).hasSize(messages - messages / 10).doesNotHaveDuplicates();
    }
  }

  private static int workOff(Outbox outbox, ConcurrentLinkedQueue<MessageId> handled) {
    OwnerToken owner = OwnerToken.random();
    int count = 0;
    for (List<OutboxMessage> claimed = outbox.claim(owner, MINUTE, 9);
        !claimed.isEmpty();
        claimed = outbox.claim(owner, MINUTE, 9)) {
      List<MessageId> ids = claimed.stream().map(OutboxMessage::id).toList();
      handled.addAll(ids);
      outbox.ack(owner, ids);
      count += ids.size();
    }
    return count;
  }

  @Test
  @Spec("OBX-093")
  void deadlocksAreTriedAgainAFewTimesAndThenReachTheCaller() throws Exception {
    try (Connection connection = connections().getConnection()) {
      AtomicInteger tries = new AtomicInteger();
      assertThat(store().inTransaction(connection, () -> deadlockedUntil(3, tries))).isEqualTo(3);

      tries.set(0);
      assertThatThrownBy(() -> store().inTransaction(connection, () -> deadlockedUntil(99, tries)))
          .isInstanceOf(StoreException.class)
          .hasCauseInstanceOf(SQLException.class);
      assertThat(tries).hasValue(5);
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }

  @Test
  @Spec("OBX-093")
  void deadlocksInACallersTransactionGoStraightThrough() throws Exception {
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      AtomicInteger tries = new AtomicInteger();

      assertThatThrownBy(() -> store().inTransaction(connection, () -> deadlockedUntil(99, tries)))
          .isInstanceOf(StoreException.class);

      assertThat(tries).hasValue(1);
      connection.rollback();
    }
  }

  @Test
  @Spec("OBX-093")
  void everyOperationIsTriedAgainAfterADeadlock() {
    WatchedConnections watched = watched(true);

    callEveryOperation(
        OutboxBuilder.of(watched, store()).build(),
        (name, operation) -> {
          watched.deadlockNext(5);
          assertThatThrownBy(operation::run).as(name).isInstanceOf(StoreException.class);
          watched.deadlockNext(4);
          operation.run();
        });
  }

  @Test
  @Spec({"OBX-091", "OBX-093"})
  void everyOperationIsOneStatementOrOneTransaction() {
    WatchedConnections watched = watched(true);

    callEveryOperation(
        OutboxBuilder.of(watched, store()).build(),
        (name, operation) -> {
          int statements = watched.statements();
          int alone = watched.alone();
          int commits = watched.commits();
          operation.run();
          boolean oneStatement =
              watched.alone() - alone == 1 && watched.statements() - statements == 1;
          boolean oneTransaction = watched.alone() == alone && watched.commits() - commits == 1;
          assertThat(oneStatement || oneTransaction).as(name).isTrue();
        });
  }

  /** Each call has something to do, and checks that it did it. */
  private void callEveryOperation(Outbox outbox, BiConsumer<String, Runnable> caller) {
    List<MessageId> ids = new ArrayList<>();
    caller.accept("enqueue", () -> ids.add(outbox.enqueue("topic", "{}").id()));
    caller.accept(
        "enqueueAll",
        () ->
            outbox
                .enqueueAll(
                    IntStream.range(0, 6)
                        .mapToObj(i -> EventEnvelope.ofJson("topic", "{}"))
                        .toList())
                .forEach(enqueued -> ids.add(enqueued.id())));
    caller.accept("claim", () -> assertThat(outbox.claim(OWNER, MINUTE, 10)).hasSize(7));
    changing(caller, "renew", ids.get(0), id -> outbox.renew(OWNER, id, MINUTE));
    changing(caller, "ack", ids.get(0), id -> outbox.ack(OWNER, id));
    changing(caller, "abandon", ids.get(1), id -> outbox.abandon(OWNER, id));
    changing(caller, "abandon at", ids.get(2), id -> outbox.abandon(OWNER, id, "busy", MINUTE));
    changing(caller, "defer", ids.get(3), id -> outbox.defer(OWNER, id, MINUTE));
    changing(caller, "release", ids.get(4), id -> outbox.release(OWNER, id));
    changing(caller, "fail", ids.get(5), id -> outbox.fail(OWNER, id, "broken"));
    changing(caller, "replay", ids.get(5), id -> outbox.deadLetters().replay(id, "me"));
    outbox.claim(OWNER, MINUTE, 10);
    outbox.fail(OWNER, List.of(ids.get(5)), "broken");
    changing(caller, "discard", ids.get(5), id -> outbox.deadLetters().discard(id, "me", "old"));
    caller.accept("reapExpired", outbox::reapExpired);
  }

  private static void changing(
      BiConsumer<String, Runnable> caller,
      String name,
      MessageId id,
      Function<List<MessageId>, Set<MessageId>> operation) {
    caller.accept(
        name, () -> assertThat(operation.apply(List.of(id))).as(name).containsExactly(id));
  }

  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
  @Spec("OBX-092")
  void aTransactionOfTheStoreIsAtReadCommittedWhateverTheLevelOfItsConnection(int level)
      throws Exception {
    MessageId id = enqueue("topic");
    try (Connection connection = connections().getConnection()) {
      connection.setTransactionIsolation(level);

      List<EventStatus> seen =
          store()
              .inTransaction(
                  connection,
                  () -> {
                    EventStatus before = statusOf(id, connection);
                    connections().inAutoCommit(c -> store().markDead(c, id.value(), "broken"));
                    return List.of(before, statusOf(id, connection));
                  });

      assertThat(seen).containsExactly(EventStatus.NEW, EventStatus.DEAD);
      assertThat(connection.getTransactionIsolation()).isEqualTo(level);
    }
  }

  /** Without the store, which locks what it reads where a snapshot may be old. */
  private static EventStatus statusOf(MessageId id, Connection connection) {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT status FROM outbox_event WHERE event_id = ?")) {
      statement.setString(1, id.value());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return EventStatus.ofCode(row.getInt(1));
      }
    } catch (SQLException e) {
      throw new StoreException("contract", e);
    }
  }

  @Test
  @Spec({"OBX-112", "OBX-114"})
  void aThousandMessagesCostAHandfulOfStatements() {
    WatchedConnections watched = watched(true);
    Outbox outbox = OutboxBuilder.of(watched, store()).build();

    outbox.enqueueAll(
        IntStream.range(0, 1000).mapToObj(i -> EventEnvelope.ofJson("topic", "{}")).toList());
    List<MessageId> ids =
        outbox.claim(OWNER, MINUTE, 1000).stream().map(OutboxMessage::id).toList();
    assertThat(outbox.ack(OWNER, ids)).hasSize(1000);

    assertThat(watched.statements()).isLessThanOrEqualTo(30);
  }

  /**
   * Where a statement cannot have an array of errors, those of a batch go to the server at once.
   */
  @ParameterizedTest
  @ValueSource(strings = {"abandon", "abandon at", "fail"})
  @Spec("OBX-114")
  void aThousandFailuresCostAHandfulOfRoundTrips(String operation) {
    WatchedConnections watched = watched(true);
    Outbox outbox = OutboxBuilder.of(watched, store()).build();
    outbox.enqueueAll(
        IntStream.range(0, 1000).mapToObj(i -> EventEnvelope.ofJson("topic", "{}")).toList());
    List<MessageId> ids =
        outbox.claim(OWNER, MINUTE, 1000).stream().map(OutboxMessage::id).toList();
    int before = watched.statements();

    Set<MessageId> changed =
        switch (operation) {
          case "abandon" -> outbox.abandon(OWNER, ids);
          case "abandon at" -> outbox.abandon(OWNER, ids, "busy", MINUTE);
          default -> outbox.fail(OWNER, ids, "broken");
        };

    assertThat(changed).hasSize(1000);
    assertThat(watched.statements() - before).isLessThanOrEqualTo(12);
  }

  @Test
  @Spec("OBX-091")
  void connectionsAreGivenBackInTheModeTheyCameIn() {
    for (boolean autoCommit : List.of(true, false)) {
      WatchedConnections watched = watched(autoCommit);
      Outbox outbox = OutboxBuilder.of(watched, store()).build();

      outbox.enqueue("topic", "{}");
      watched.deadlockNext(99);
      assertThatThrownBy(() -> outbox.claim(OWNER, MINUTE, 10)).isInstanceOf(StoreException.class);

      assertThat(watched.modes()).containsExactly(autoCommit, autoCommit);
    }
  }

  @Test
  @Spec({"OBX-028", "OBX-041", "OBX-091"})
  void anEndThatItsJoinsCannotCountNeverHappened() {
    LeasedEventStore failing =
        JdbcOutboxRepository.builder()
            .terminalHook(
                (connection, status, ids) -> {
                  throw new StoreException("cannot count", new SQLException("no"));
                })
            .build();
    Outbox uncounted = OutboxBuilder.of(connections(), failing).maxAttempts(1).build();
    MessageId id = outbox().enqueue("topic", "{}").id();
    outbox().claim(OWNER, MINUTE, 10);
    Row before = row(id.value()).orElseThrow();

    assertThatThrownBy(() -> uncounted.ack(OWNER, List.of(id))).hasMessage("cannot count");
    assertThatThrownBy(() -> uncounted.fail(OWNER, List.of(id), "no")).hasMessage("cannot count");
    assertThatThrownBy(() -> uncounted.abandon(OWNER, List.of(id))).hasMessage("cannot count");

    assertThat(row(id.value())).contains(before);
    assertThat(outbox().ack(OWNER, List.of(id))).containsExactly(id);
  }

  @Test
  void messagesBesideExpiredOnesThatCannotBeEndedAreGivenBack() {
    LeasedEventStore failing =
        JdbcOutboxRepository.builder()
            .terminalHook(
                (connection, status, ids) -> {
                  throw new StoreException("no", new SQLException("no"));
                })
            .build();
    Outbox outbox = OutboxBuilder.of(connections(), failing).build();
    MessageId live = outbox.enqueue("topic", "{}").id();
    outbox.enqueue(
        EventEnvelope.builder("topic").payloadJson("{}").expiresAt(now().minusSeconds(1)).build());

    assertThatThrownBy(() -> outbox.claim(OWNER, MINUTE, 10)).isInstanceOf(StoreException.class);

    assertThat(row(live.value()).orElseThrow().owner()).isNull();
    assertThat(outbox().claim(OWNER, MINUTE, 10))
        .extracting(OutboxMessage::id)
        .containsExactly(live);
  }

  @Test
  void anIdThatIsTakenIsNamedWithTheWayToSendOnce() {
    EventEnvelope message = EventEnvelope.builder("topic").eventId("a").payloadJson("{}").build();
    EventEnvelope another = EventEnvelope.ofJson("topic", "{}");
    outbox().enqueue(message);

    assertThatThrownBy(() -> outbox().enqueue(message))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "event a exists already in outbox_event; leave out eventId, and an event gets an id of"
                + " its own; give an idempotencyKey to what is to be sent only once");
    assertThatThrownBy(() -> outbox().enqueueAll(List.of(another, message)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("one of 2 events exists already in outbox_event or here");
  }

  private WatchedConnections watched(boolean autoCommit) {
    return new WatchedConnections(fixture.entered().dataSource(), autoCommit);
  }

  private static int deadlockedUntil(int limit, AtomicInteger tries) {
    if (tries.incrementAndGet() < limit) {
      throw new StoreException("contract", new SQLException("deadlock", "40001"));
    }
    return tries.get();
  }

  @Test
  @Spec("FRM-79")
  void aPollerRunsIfItIsEnabledAndNoneIfItIsNot() {
    List<String> handledByOff = new CopyOnWriteArrayList<>();
    List<String> handledByOn = new CopyOnWriteArrayList<>();
    JdbcOutbox off = closing(whole(config().setPollerEnabled(false), handledByOff));
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ids.add(outbox().enqueue("any", "{}").id().value());
    }
    off.dispatcher().wakePollers();

    closing(whole(config().setPollerEnabled(true), handledByOn));

    ids.forEach(id -> awaitStatus(id, EventStatus.DONE));
    assertThat(handledByOff).isEmpty();
    assertThat(handledByOn).containsExactlyInAnyOrderElementsOf(ids);
  }

  @Test
  @Spec({"OBX-058", "OBX-059"})
  void theMostAttemptsOfTheConfigurationHoldForTheWorkQueueOfTheWholeOutbox() {
    OutboxConfig config = config().setRetryMaxAttempts(2).setPollerEnabled(false);
    Outbox queue = closing(whole(config, new ArrayList<>())).queue();
    MessageId id = queue.enqueue("unhandled", "{}").id();
    for (EventStatus expected : List.of(EventStatus.RETRY, EventStatus.DEAD)) {
      awaitTrue(() -> !queue.claim(OWNER, MINUTE, 10).isEmpty());
      queue.abandon(OWNER, List.of(id), null, null);
      assertThat(row(id.value()).orElseThrow().status()).isEqualTo(expected);
    }
  }

  @Test
  @Spec({"FRM-66", "FRM-79"})
  void theWholeOutboxLeavesRecentRowsOfVersion1AloneForAsLongAsConfigured() {
    insertByOldVersion("recent", "{}");
    MessageId other = enqueue("any");
    List<String> handled = new CopyOnWriteArrayList<>();
    for (long skipRecent : List.of(3_600_000L, 0L)) {
      JdbcOutbox whole =
          JdbcOutbox.builder(fixture.entered().dataSource())
              .config(config().setPollerSkipRecentMs(skipRecent))
              .listenerOfAll(event -> handled.add(event.eventId()))
              .start();
      String expected = skipRecent > 0 ? other.value() : "recent";
      awaitStatus(expected, EventStatus.DONE);
      whole.close();
    }

    assertThat(handled).containsExactly(other.value(), "recent");
  }

  private JdbcOutbox whole(OutboxConfig config, List<String> handled) {
    return JdbcOutbox.builder(fixture.entered().dataSource())
        .config(config)
        .listener("any", event -> handled.add(event.eventId()))
        .start();
  }

  @Test
  @Spec("OBX-001")
  void theWholeOutboxOffersItsTableAsAWorkQueueAndWakesItsPoller() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    JdbcOutbox whole =
        closing(
            JdbcOutbox.builder(fixture.entered().dataSource())
                .config(config().setPollerIntervalMs(60_000))
                .listener("handled here", event -> handled.add(event.eventId()))
                .start());

    MessageId alone = whole.queue().enqueue("handled here", "{}").id();
    awaitStatus(alone.value(), EventStatus.DONE);
    List<MessageId> joined = new ArrayList<>();
    whole.inTransaction(c -> joined.add(whole.queue().enqueue("handled here", "{}").id()));
    awaitStatus(joined.get(0).value(), EventStatus.DONE);
    MessageId given;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      given = whole.queue().enqueue(connection, "handled here", "{}").id();
      connection.commit();
    }
    awaitStatus(given.value(), EventStatus.DONE);

    assertThat(handled).containsExactly(alone.value(), joined.get(0).value(), given.value());
    assertThat(whole.queue().claim(OWNER, MINUTE, 10)).isEmpty();
  }
}
