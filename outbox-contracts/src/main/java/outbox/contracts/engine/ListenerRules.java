package outbox.contracts.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.RetryAfterException;
import outbox.TransactionalOutboxHandler;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.LogCapture;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.model.EventStatus;
import outbox.model.ListenerStates;
import outbox.model.MessageId;
import outbox.registry.DefaultListenerRegistry;

/** Each listener of an event succeeds or fails by itself. */
interface ListenerRules extends OutboxUnderTest {

  @Test
  default void aListenerThatIsDoneDoesNotRunAgainWhenAnotherFails() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    String id =
        published(
            config(),
            new DefaultListenerRegistry()
                .register("Any", event -> calls.add("mail"))
                .register("Any", event -> failTwice(calls, "broker"))
                .register(OutboxHandler.of("Any", (message, context) -> calls.add("handler")))
                .registerAll(event -> calls.add("audit")),
            EventStatus.DONE);

    assertThat(calls).containsExactly("mail", "broker", "handler", "audit", "broker", "broker");
    assertThat(row(id).orElseThrow().listeners()).isNull();
  }

  @Test
  default void aFailedEventNamesTheListenerThatFailedAndThoseThatAreDone() throws Exception {
    String id =
        published(
            config().setRetryMaxAttempts(1),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> {})
                .register("Any", "broker", failing("away"))
                .registerAll("audit", event -> {}),
            EventStatus.DEAD);

    assertThat(row(id).orElseThrow().lastError())
        .isEqualTo("[broker] gave up after 1 attempt: java.lang.IllegalStateException: away");
    assertThat(states(id).done()).containsExactly("mail", "audit");
    assertThat(states(id).failed()).containsExactly("broker");
  }

  @Test
  default void anEventWithoutTroubleKeepsNothingOfItsListeners() throws Exception {
    String id =
        published(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> {})
                .register("Any", "broker", event -> {}),
            EventStatus.DONE);

    assertThat(row(id).orElseThrow().listeners()).isNull();
  }

  @Test
  default void theOnlyListenerOfAnEventIsRecordedByItsNameIfItHasOne() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
            new DefaultListenerRegistry()
                .register("Named", "mail", failing("away"))
                .register("Unnamed", failing("away")));

    String named = publish(client(dispatcher), "Named");
    String unnamed = publish(client(dispatcher), "Unnamed");

    awaitStatus(named, EventStatus.RETRY);
    awaitStatus(unnamed, EventStatus.RETRY);
    assertThat(states(named).failed()).containsExactly("mail");
    assertThat(row(named).orElseThrow().lastError()).startsWith("[mail] ");
    assertThat(row(unnamed).orElseThrow().listeners()).isNull();
    assertThat(row(unnamed).orElseThrow().lastError())
        .isEqualTo("java.lang.IllegalStateException: away");
  }

  @Test
  default void anotherNodeRunsOnlyTheListenersThatAreNotDone() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    OutboxDispatcher first =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> calls.add("mail here"))
                .register("Any", "broker", failing("away")));
    String id = publish(client(first), "Any");
    awaitStatus(id, EventStatus.RETRY);
    first.close();

    OutboxDispatcher second =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "broker", event -> calls.add("broker there"))
                .register("Any", "renamed", event -> calls.add("renamed there"))
                .register("Any", "mail", event -> calls.add("mail there")));
    startedPoller(second);

    awaitStatus(id, EventStatus.DONE);
    assertThat(calls).containsExactly("mail here", "renamed there", "broker there");
  }

  @Test
  default void anEventWhoseFailingListenerWasRemovedIsDoneWithoutACall() throws Exception {
    AtomicInteger mails = new AtomicInteger();
    OutboxDispatcher first =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> mails.incrementAndGet())
                .register("Any", "broker", failing("away")));
    String id = publish(client(first), "Any");
    awaitStatus(id, EventStatus.RETRY);
    first.close();

    startedPoller(
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> mails.incrementAndGet())));

    awaitStatus(id, EventStatus.DONE);
    assertThat(mails).hasValue(1);
  }

  @Test
  default void aListenerThatFailsForGoodEndsTheEventOnceTheOthersAreDone() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    String id =
        published(
            config(),
            new DefaultListenerRegistry()
                .register(
                    "Any",
                    "account",
                    event -> {
                      calls.add("account");
                      throw new PermanentFailureException("no such account");
                    })
                .register("Any", "broker", event -> failTwice(calls, "broker")),
            EventStatus.DEAD);

    assertThat(calls).containsExactly("account", "broker", "broker", "broker");
    assertThat(row(id).orElseThrow().lastError())
        .isEqualTo("[account] outbox.PermanentFailureException: no such account");
    assertThat(states(id).byName())
        .containsEntry("account", ListenerStates.FAILED)
        .containsEntry("broker", ListenerStates.DONE)
        .hasSize(2);
  }

  @Test
  default void anEventComesAgainAfterTheLongestDelayThatAListenerAsksFor() throws Exception {
    AtomicInteger mails = new AtomicInteger();
    String id =
        published(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "broker", failing("away"))
                .register(
                    "Any", "api", failing(new RetryAfterException(Duration.ofHours(2), "busy")))
                .register("Any", "night", failing(new DeferException(Duration.ofHours(1))))
                .register("Any", "mail", event -> mails.incrementAndGet()),
            EventStatus.RETRY);

    EventStoreContract.Row row = row(id).orElseThrow();
    assertThat(Duration.between(row.createdAt(), row.availableAt()))
        .isBetween(Duration.ofMinutes(119), Duration.ofMinutes(130));
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.lastError()).contains("[broker] ", "; [api] ").doesNotContain("night");
    assertThat(states(id).done()).containsExactly("mail");
    assertThat(states(id).failed()).containsExactly("broker", "api");
  }

  @Test
  default void aDeferralCountsNothingAndKeepsWhoIsDone() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    String id =
        published(
            config(),
            new DefaultListenerRegistry()
                .register(
                    "Any",
                    "night",
                    event -> {
                      calls.add("night");
                      if (calls.stream().filter("night"::equals).count() < 3) {
                        throw new DeferException(Duration.ZERO);
                      }
                    })
                .register("Any", "mail", event -> calls.add("mail")),
            EventStatus.DONE);

    assertThat(calls).containsExactly("night", "mail", "night", "night");
    assertThat(row(id).orElseThrow().attempts()).isZero();
  }

  @Test
  default void aPlainListenerRunsOutsideOfTheTransactionOfATransactionalOne() throws Exception {
    AtomicInteger mails = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    List<Boolean> inTransaction = new CopyOnWriteArrayList<>();
    published(
        config(),
        new DefaultListenerRegistry()
            .registerTransactional(
                "Any",
                (event, connection) -> {
                  store().insertNew(connection, effect(runs.incrementAndGet()));
                  if (runs.get() < 3) {
                    throw new IllegalStateException("not yet");
                  }
                })
            .register(
                "Any",
                event -> {
                  inTransaction.add(txContext().isTransactionActive());
                  mails.incrementAndGet();
                }),
        EventStatus.DONE);

    assertThat(inTransaction).containsExactly(false);
    assertThat(mails).hasValue(1);
    assertThat(List.of(row("effect-1").isPresent(), row("effect-2").isPresent()))
        .containsOnly(false);
    assertThat(row("effect-3")).isPresent();
  }

  @Test
  default void aTransactionalListenerCommitsWithTheRecordThatItIsDoneWhenAnotherFails()
      throws Exception {
    AtomicInteger first = new AtomicInteger();
    AtomicInteger second = new AtomicInteger();
    String id =
        published(
            config().setRetryMaxAttempts(2),
            new DefaultListenerRegistry()
                .registerTransactional(
                    "Any",
                    "stock",
                    (event, connection) ->
                        store().insertNew(connection, effect(first.incrementAndGet())))
                .registerTransactional(
                    "Any",
                    "ledger",
                    (event, connection) -> {
                      store().insertNew(connection, effect(100 + second.incrementAndGet()));
                      throw new IllegalStateException("closed");
                    }),
            EventStatus.DEAD);

    assertThat(first).as("rolled back with the other, then alone").hasValue(2);
    assertThat(row("effect-1")).isEmpty();
    assertThat(row("effect-2")).isPresent();
    assertThat(second).hasValue(2);
    assertThat(List.of(row("effect-101").isPresent(), row("effect-102").isPresent()))
        .containsOnly(false);
    assertThat(states(id).done()).containsExactly("stock");
    assertThat(states(id).failed()).containsExactly("ledger");
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(2);
  }

  @Test
  default void aHandlerThatDefersKeepsItsWritesAndThoseOfTheListenersBesideIt() throws Exception {
    AtomicInteger effects = new AtomicInteger();
    String id =
        published(
            config(),
            new DefaultListenerRegistry()
                .registerTransactional(
                    "Any",
                    "stock",
                    (event, connection) ->
                        store().insertNew(connection, effect(effects.incrementAndGet())))
                .registerHandler("parked", new Parked(effects)),
            EventStatus.DONE);

    assertThat(effects).hasValue(4);
    assertThat(row("effect-1")).isPresent();
    assertThat(row(id).orElseThrow().attempts()).isZero();
  }

  @Test
  default void aListenerThatUsesUpTheHandlingTimeDoesNotKeepTheOthersFromTheirTurn()
      throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    List<String> calls = new CopyOnWriteArrayList<>();
    String id =
        published(
            config().setRetryMaxAttempts(2).setMaxHandlingTime("Any", Duration.ofMillis(200)),
            new DefaultListenerRegistry()
                .register(
                    "Any",
                    "stuck",
                    event -> {
                      calls.add("stuck");
                      never.await();
                    })
                .register("Any", "mail", event -> calls.add("mail")),
            EventStatus.DEAD);

    assertThat(calls).containsExactly("stuck", "mail", "stuck");
    assertThat(states(id).failed()).containsExactly("stuck");
    assertThat(states(id).done()).containsExactly("mail");
  }

  @Test
  default void aListenerThatInterruptsItsThreadDoesNotInterruptTheNextListener() throws Exception {
    AtomicBoolean interrupted = new AtomicBoolean(true);
    published(
        config(),
        new DefaultListenerRegistry()
            .register("Any", event -> Thread.currentThread().interrupt())
            .register("Any", event -> interrupted.set(Thread.currentThread().isInterrupted())),
        EventStatus.DONE);

    assertThat(interrupted).isFalse();
  }

  @Test
  default void closingGivesBackAnEventWithTheListenersThatAreDone() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    AtomicInteger mails = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDrainTimeout(Duration.ofMillis(50)),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> mails.incrementAndGet())
                .register(
                    "Any",
                    "slow",
                    event -> {
                      started.countDown();
                      new CountDownLatch(1).await();
                    }));
    String id = publish(client(dispatcher), "Any");
    started.await();

    dispatcher.close();

    EventStoreContract.Row row = row(id).orElseThrow();
    assertThat(row.owner()).isNull();
    assertThat(row.attempts()).isZero();
    assertThat(states(id).byName()).isEqualTo(Map.of("mail", ListenerStates.DONE));
  }

  @Test
  default void aReplayRunsAllListenersOrOnlyThoseThatFailed() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    AtomicBoolean works = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> calls.add("mail"))
                .register("Any", "broker", event -> callIf(works.get(), calls, "broker")));
    String again = publish(client(dispatcher), "Any");
    String all = publish(client(dispatcher), "Any");
    awaitStatus(again, EventStatus.DEAD);
    awaitStatus(all, EventStatus.DEAD);
    DeadLetters letters = OutboxBuilder.of(connections(), store()).build().deadLetters();
    DeadLetter letter = letters.find(new MessageId(again)).orElseThrow();
    assertThat(letter.listeners().failed()).containsExactly("broker");
    assertThat(letter.listeners().done()).containsExactly("mail");
    assertThat(letters.list(DeadLetterFilter.all(), 10))
        .allSatisfy(each -> assertThat(each.listeners()).isEqualTo(letter.listeners()));
    calls.clear();
    works.set(true);
    startedPoller(dispatcher);

    letters.replay(List.of(new MessageId(again)), "alice", true);

    awaitStatus(again, EventStatus.DONE);
    assertThat(calls).containsExactly("broker");
    calls.clear();
    assertThat(letters.replay(DeadLetterFilter.all(), Bulk.by("alice"))).isEqualTo(1);
    awaitStatus(all, EventStatus.DONE);
    assertThat(calls).containsExactly("mail", "broker");
    assertThat(row(again).orElseThrow().listeners()).isNull();
  }

  @Test
  default void aBulkReplayCanLeaveOutTheListenersThatAreDone() throws Exception {
    List<String> calls = new CopyOnWriteArrayList<>();
    AtomicBoolean works = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> calls.add("mail"))
                .register(
                    "Any",
                    "account",
                    event -> {
                      calls.add("account");
                      if (!works.get()) {
                        throw new PermanentFailureException("no such account");
                      }
                    }));
    String id = publish(client(dispatcher), "Any");
    awaitStatus(id, EventStatus.DEAD);
    works.set(true);
    startedPoller(dispatcher);

    OutboxBuilder.of(connections(), store())
        .build()
        .deadLetters()
        .replay(DeadLetterFilter.all(), Bulk.by("alice").failedOnly(true));

    awaitStatus(id, EventStatus.DONE);
    assertThat(calls).containsExactly("mail", "account", "account");
  }

  @Test
  default void aReplayRunsAListenerAgainThatHadFailedForGoodWhileTheEventLived() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher first =
        dispatcher(
            config().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
            new DefaultListenerRegistry()
                .register("Any", "account", failing(new PermanentFailureException("no account")))
                .register("Any", "broker", failing("away")));
    String id = publish(client(first), "Any");
    awaitStatus(id, EventStatus.RETRY);
    String state = requireNonNull(states(id).byName().get("account"));
    assertThat(state).startsWith(ListenerStates.DEAD);
    first.close();
    try (Connection connection = connections().getConnection()) {
      store().markDead(connection, id, "by hand");
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
    }

    OutboxBuilder.of(connections(), store())
        .build()
        .deadLetters()
        .replay(List.of(new MessageId(id)), "alice", true);
    assertThat(states(id).byName().get("account")).isEqualTo(state.replaceFirst("dead", "failed"));
    startedPoller(
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Any", "account", event -> runs.incrementAndGet())
                .register("Any", "broker", event -> runs.incrementAndGet())));

    awaitStatus(id, EventStatus.DONE);
    assertThat(runs).hasValue(2);
  }

  @Test
  default void aDeadLetterNoticeNamesTheListenerThatFailed() throws Exception {
    List<DeadLetter> letters = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config().setRetryMaxAttempts(1))
                .listeners(
                    new DefaultListenerRegistry()
                        .register("Any", "mail", event -> {})
                        .register("Any", "broker", failing("away")))
                .onDead((store, letter) -> letters.add(letter))
                .build());

    publish(client(dispatcher), "Any");

    awaitTrue(() -> !letters.isEmpty());
    assertThat(letters.get(0).listeners().failed()).containsExactly("broker");
    assertThat(letters.get(0).listeners().done()).containsExactly("mail");
  }

  @Test
  default void aFailedListenerIsNamedInTheLog() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1),
            new DefaultListenerRegistry()
                .register("Any", "mail", event -> {})
                .register("Any", "broker", failing("refused")));

    try (LogCapture log = LogCapture.of("outbox")) {
      String id = publish(client(dispatcher), "Any");
      awaitStatus(id, EventStatus.DEAD);
      awaitTrue(() -> log.errors().stream().anyMatch(line -> line.contains("event dead")));

      assertThat(log.errors())
          .anyMatch(
              line ->
                  line.contains("listener failed id=" + id)
                      && line.contains("broker")
                      && line.contains("IllegalStateException: refused"))
          .anyMatch(line -> line.contains("reason=[broker] gave up after 1 attempt"));
    }
  }

  /** Publishes an event to these listeners; returns its id when it stands so. */
  private String published(
      OutboxConfig config, DefaultListenerRegistry listeners, EventStatus status) throws Exception {
    OutboxDispatcher dispatcher = dispatcher(config, listeners);
    startedPoller(dispatcher);
    String id = publish(client(dispatcher), "Any");
    awaitStatus(id, status);
    return id;
  }

  private ListenerStates states(String id) {
    return ListenerStates.parse(row(id).orElseThrow().listeners());
  }

  private static EventListener failing(String message) {
    return failing(new IllegalStateException(message));
  }

  private static EventListener failing(RuntimeException failure) {
    return event -> {
      throw failure;
    };
  }

  private static void callIf(boolean works, List<String> calls, String name) {
    calls.add(name);
    if (!works) {
      throw new IllegalStateException(name + " is away");
    }
  }

  private static void failTwice(List<String> calls, String name) {
    calls.add(name);
    if (calls.stream().filter(name::equals).count() < 3) {
      throw new IllegalStateException(name + " is away");
    }
  }

  private static EventEnvelope effect(int run) {
    return EventEnvelope.builder("Effect").eventId("effect-" + run).payloadJson("{}").build();
  }

  /** Defers twice, writing each time. */
  final class Parked implements TransactionalOutboxHandler {
    private final AtomicInteger effects;
    private final AtomicInteger runs = new AtomicInteger();

    Parked(AtomicInteger effects) {
      this.effects = effects;
    }

    @Override
    public String topic() {
      return "Any";
    }

    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) {
      effects.incrementAndGet();
      return runs.incrementAndGet() < 3
          ? HandlerResult.deferred(Duration.ZERO)
          : HandlerResult.done();
    }
  }
}
