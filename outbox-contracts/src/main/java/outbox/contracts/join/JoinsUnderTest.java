package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Stream;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.contracts.store.EventStoreContract;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.join.JoinWaitHandler;
import outbox.model.EventStatus;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.OutboxEvent;
import outbox.model.StepStatus;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.StoreException;

/** What the rules of the joins' contract ask for, in their own words. */
interface JoinsUnderTest {
  Duration LEASE = Duration.ofMinutes(1);
  String ME = "me";

  /** The events, whose ends the tracker counts. */
  LeasedEventStore events();

  JoinStore joinStore();

  JoinTracker tracker();

  JoinCoordinator joins();

  /** The same events as a queue, with these joins. */
  Outbox outbox();

  Connection open() throws SQLException;

  void advance(Duration by);

  /** Lets the stores' now stand still at this instant until it is advanced. */
  void stopAt(Instant instant);

  Instant now();

  Optional<EventStoreContract.Row> row(String eventId);

  /** Deletes the row of an event, without the store. */
  void delete(String eventId);

  default <T> T call(Function<Connection, T> work) {
    try (Connection connection = open()) {
      return work.apply(connection);
    } catch (SQLException e) {
      throw new StoreException("contract", e);
    }
  }

  default Connection beginTransaction() throws SQLException {
    Connection connection = open();
    connection.setAutoCommit(false);
    return connection;
  }

  default MessageId enqueue(String id) {
    EventEnvelope event = EventEnvelope.builder("Step").eventId(id).payloadJson("{}").build();
    call(
        connection -> {
          events().insert(connection, event, null);
          return id;
        });
    return new MessageId(id);
  }

  /** A pending join of these messages, which are enqueued for it. */
  default JoinIdentifier joinOf(int expectedSteps, String... messageIds) {
    JoinIdentifier join = joins().startJoin("contract", expectedSteps, null);
    joins().attachAll(join, Stream.of(messageIds).map(this::enqueue).toList());
    return join;
  }

  default MessageId waitFor(JoinIdentifier join) {
    return joins().enqueueJoinWait(join, true, "went-well", "{\"ok\":1}", "went-wrong", "{}");
  }

  default List<ClaimedEvent> claim(String... eventIds) {
    return call(connection -> events().claimById(connection, ME, LEASE, List.of(eventIds)));
  }

  default Set<String> ack(String... eventIds) {
    return call(connection -> events().ack(connection, ME, List.of(eventIds)));
  }

  default Set<String> fail(String... eventIds) {
    return call(connection -> events().fail(connection, ME, failures(List.of(eventIds))));
  }

  default List<Failure> failures(Collection<String> eventIds) {
    return eventIds.stream().map(id -> new Failure(id, Duration.ZERO, "broken")).toList();
  }

  /** Claims and acknowledges. */
  default void complete(String... eventIds) {
    assertThat(claim(eventIds)).hasSize(eventIds.length);
    assertThat(ack(eventIds)).containsExactlyInAnyOrder(eventIds);
  }

  /** Claims and fails. */
  default void kill(String... eventIds) {
    assertThat(claim(eventIds)).hasSize(eventIds.length);
    assertThat(fail(eventIds)).containsExactlyInAnyOrder(eventIds);
  }

  default Join stored(JoinIdentifier join) {
    return joins().find(join).orElseThrow();
  }

  default void assertCounts(JoinIdentifier id, int completed, int failed, JoinStatus status) {
    Join join = stored(id);
    assertThat(List.of(join.completedSteps(), join.failedSteps(), join.status()))
        .as("%s", join)
        .isEqualTo(List.of(completed, failed, status));
  }

  default StepStatus step(JoinIdentifier join, String messageId) {
    return joins().steps(join).stream()
        .filter(step -> step.messageId().value().equals(messageId))
        .map(JoinStep::status)
        .findFirst()
        .orElseThrow();
  }

  default EventStoreContract.Row message(MessageId id) {
    return row(id.value()).orElseThrow();
  }

  default boolean isDue(MessageId id) {
    EventStoreContract.Row row = message(id);
    return row.status().isLive() && row.owner() == null && !row.availableAt().isAfter(now());
  }

  /** One delivery of a wait message, as a dispatcher does it: all in one transaction. */
  default HandlerResult deliver(MessageId waitId) throws SQLException {
    List<ClaimedEvent> claimed = claim(waitId.value());
    assertThat(claimed).hasSize(1);
    try (Connection connection = beginTransaction()) {
      HandlerResult result = handle(connection, claimed.get(0).event());
      assertThat(settle(connection, waitId, result)).hasSize(1);
      connection.commit();
      return result;
    }
  }

  default HandlerResult handle(Connection connection, OutboxEvent event) {
    JoinWaitHandler handler = joins().waitHandler();
    return handler.handle(message(event), NoContext.INSTANCE, connection);
  }

  default Set<String> settle(Connection connection, MessageId id, HandlerResult result) {
    List<String> ids = List.of(id.value());
    return result instanceof HandlerResult.Deferred deferred
        ? events().defer(connection, ME, ids, deferred.delay())
        : events().ack(connection, ME, ids);
  }

  static OutboxMessage message(OutboxEvent event) {
    return new OutboxMessage(
        EventEnvelope.of(event), event.createdAt(), event.attempts(), null, null, null, null);
  }

  /** Leases all that is due; the continuation is among it if there is one. */
  default List<OutboxEvent> claimDue(String topic) {
    return claimDue().stream().filter(event -> event.eventType().equals(topic)).toList();
  }

  /** All that is due, of whatever topic; what it returns is leased afterwards. */
  default List<OutboxEvent> claimDue() {
    return call(
            connection ->
                events()
                    .claim(
                        connection,
                        new LeasedEventStore.ClaimRequest(
                            "reader", LEASE, 1_000, Long.MAX_VALUE, null, Duration.ZERO)))
        .events()
        .stream()
        .map(ClaimedEvent::event)
        .toList();
  }

  default void assertDone(MessageId id) {
    assertThat(message(id).status()).isEqualTo(EventStatus.DONE);
  }

  /** Runs all at once; what one of them throws fails the test. */
  default <T> List<T> concurrently(Collection<? extends Callable<T>> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Future<T>> futures = threads.invokeAll(tasks);
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  /** For a handler that asks nothing. */
  enum NoContext implements HandlerContext {
    INSTANCE;

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}

    @Override
    public Duration leaseRemaining() {
      return LEASE;
    }

    @Override
    public boolean renewLease() {
      return true;
    }
  }
}
