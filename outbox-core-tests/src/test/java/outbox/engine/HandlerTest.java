package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.TransactionalOutboxHandler;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.internal.text.LogSettings;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.memory.InMemoryOutbox;

/** Handlers as far as no database matters. */
class HandlerTest extends InMemoryOutbox {
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch told = new CountDownLatch(1);
  private final AtomicReference<HandlerContext> context = new AtomicReference<>();
  private final AtomicInteger interrupts = new AtomicInteger();

  @Test
  void handlersAndListenersOfOneTopicRunInTheOrderOfTheirRegistrationThenTheTransactionalOnes()
      throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(event -> order.add("wildcard"))
                .registerTransactional("Any", (event, connection) -> order.add("transactional"))
                .register("Any", event -> order.add("listener"))
                .register(OutboxHandler.of("Any", (message, context) -> order.add("handler"))));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(order).containsExactly("listener", "handler", "wildcard", "transactional");
  }

  @Test
  @Spec("OBX-051")
  void closingCancelsWhatStillRunsAfterTheDrainTimeoutAndCountsNothing() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDrainTimeout(Duration.ofMillis(50)), handler(this::blockUntilInterrupted));
    String id = publish(client(dispatcher), "Any");
    started.await();
    assertThat(running().isCancelled()).isFalse();

    dispatcher.close();

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(running().isCancelled()).isTrue();
    assertThat(interrupts).hasValue(1);
    assertThat(row(id).orElseThrow())
        .satisfies(row -> assertThat(row.attempts()).isZero())
        .satisfies(row -> assertThat(row.owner()).isNull());
  }

  @Test
  @Spec("OBX-051")
  void handlerThatRunsTooLongIsCancelledAndGetsNoFurtherLease() throws Exception {
    AtomicReference<Boolean> renewed = new AtomicReference<>();
    OutboxConfig config = config().setMaxHandlingTime("Any", Duration.ofMillis(100));
    OutboxDispatcher dispatcher =
        dispatcher(
            config,
            handler(
                (message, context) -> {
                  try {
                    blockUntilInterrupted(message, context);
                  } finally {
                    renewed.set(context.renewLease());
                  }
                }));

    publish(client(dispatcher), "Any");

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    awaitTrue(() -> renewed.get() != null);
    assertThat(running().isCancelled()).isTrue();
    assertThat(renewed).hasValue(false);
  }

  private void blockUntilInterrupted(OutboxMessage message, HandlerContext running)
      throws InterruptedException {
    context.set(running);
    running.onCancel(told::countDown);
    started.countDown();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupts.incrementAndGet();
      throw e;
    }
  }

  private HandlerContext running() {
    return Objects.requireNonNull(context.get());
  }

  @Test
  @Spec({"OBX-050", "OBX-055", "OBX-057"})
  void delayAfterAFailureComesFromThePolicyAndTheNumberOfFailures() throws Exception {
    List<Integer> asked = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config().setRetryMaxAttempts(4))
                .retries(
                    Retries.of(
                        failures -> {
                          asked.add(failures);
                          return failures < 3 ? 0 : Duration.ofHours(1).toMillis();
                        }))
                .listeners(
                    handler(
                        (message, context) -> {
                          throw new IllegalStateException("fails");
                        }))
                .build());
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitTrue(() -> row(id).orElseThrow().attempts() == 3);
    assertThat(asked).containsExactly(1, 2, 3);
    assertThat(row(id).orElseThrow())
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.RETRY))
        .satisfies(row -> assertThat(row.availableAt()).isAfter(row.createdAt().plusSeconds(3500)));
  }

  @Test
  @Spec("OBX-059")
  void tenDeliveriesAreTheDefault() {
    assertThat(new OutboxConfig().getRetryMaxAttempts()).isEqualTo(10);
  }

  @Test
  void plainListenerMayDeferAndFailForGoodAsWell() throws Exception {
    AtomicBoolean deferred = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      if (deferred.compareAndSet(false, true)) {
                        throw new DeferException(Duration.ZERO);
                      }
                      throw new PermanentFailureException("never");
                    }));
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(1);
  }

  @Test
  void permanentFailureThatIsOnlyTheCauseIsTriedAgain() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context) -> {
                  if (runs.incrementAndGet() == 1) {
                    throw new IllegalStateException(new PermanentFailureException("wrapped"));
                  }
                }));
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(runs).hasValue(2);
  }

  @Test
  void deferralBeyondWhatADatabaseCanStoreIsCutToAYear() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context) -> {
                  throw new DeferException(Duration.ofSeconds(Long.MAX_VALUE));
                }));

    String id = publish(client(dispatcher), "Any");

    awaitTrue(() -> row(id).orElseThrow().owner() == null);
    assertThat(row(id).orElseThrow())
        .satisfies(
            row ->
                assertThat(Duration.between(row.createdAt(), row.availableAt()).toDays())
                    .isEqualTo(365));
  }

  @Test
  void transactionalHandlerWithoutTransactionsSaysWhatIsMissing() throws Exception {
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config().setRetryMaxAttempts(1))
                .listeners(new DefaultListenerRegistry().register(new Deferring()))
                .build());

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError()).contains("transactions(");
  }

  @Test
  @Spec({"OBX-098", "OBX-099"})
  void logNamesEveryCallAndEveryFailureWithItsMessageAndStack() throws Exception {
    try (LogCapture log = LogCapture.of("outbox")) {
      String id = runOneThatQuotesItsPayload();

      assertThat(log.entries())
          .filteredOn(entry -> entry.contains("handling"))
          .hasSize(2)
          .containsOnly("FINE handling topic=Any id=" + id);
      assertThat(log.entries())
          .filteredOn(entry -> entry.contains("listener failed"))
          .containsExactly(
              "SEVERE listener failed id=" + id + " type=Any attempts=1",
              "SEVERE listener failed id=" + id + " type=Any attempts=2");
      assertThat(log.errors())
          .filteredOn(line -> line.contains("listener failed id=" + id))
          .hasSize(2)
          .allSatisfy(
              line ->
                  assertThat(line)
                      .contains("java.lang.IllegalStateException: cannot read", "at ")
                      .contains("HandlerTest", "Caused by: java.lang.Exception: "));
    }
  }

  @Test
  @Spec({"OBX-099", "OBX-119"})
  void logLeavesOutWhatTheHandlerSaysWhereItIsToldTo() throws Exception {
    LogSettings.exceptionMessages(false);
    try (LogCapture log = LogCapture.of("outbox")) {
      String id = runOneThatQuotesItsPayload();

      assertThat(log.errors())
          .filteredOn(line -> line.contains("listener failed id=" + id))
          .hasSize(2)
          .allSatisfy(
              line ->
                  assertThat(line)
                      .contains("java.lang.IllegalStateException", "at ", "HandlerTest")
                      .contains("Caused by: java.lang.Exception"));
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
      assertThat(row(id).orElseThrow().lastError()).contains("cannot read \"secret\"");
    } finally {
      LogSettings.exceptionMessages(true);
    }
  }

  @Test
  @Spec("OBX-098")
  void logHasALineForEveryCallAtInfoWhereItIsToldTo() throws Exception {
    LogSettings.perMessage(Level.INFO);
    try (LogCapture log = LogCapture.of("outbox.messages")) {
      String id = runOneThatQuotesItsPayload();

      assertThat(log.entries()).contains("INFO handling topic=Any id=" + id);
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
    } finally {
      LogSettings.perMessage(Level.DEBUG);
    }
  }

  /** Ends dead after two deliveries. */
  private String runOneThatQuotesItsPayload() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(2),
            handler(
                (message, context) -> {
                  throw new IllegalStateException(
                      "cannot read " + message.payload(), new Exception(message.payload()));
                }));
    startedPoller(dispatcher);
    String id = publish(client(dispatcher), EventEnvelope.ofJson("Any", "\"secret\""));
    awaitStatus(id, EventStatus.DEAD);
    return id;
  }

  @Test
  void deferralIsNoFailureInTheLog() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context) -> {
                  throw new DeferException(Duration.ofMinutes(7));
                }));

    try (LogCapture log = LogCapture.of("outbox")) {
      String id = publish(client(dispatcher), "Any");
      awaitTrue(() -> row(id).orElseThrow().owner() == null);

      assertThat(log.all())
          .anyMatch(line -> line.contains("deferred") && line.contains(id + " "))
          .anyMatch(line -> line.contains("PT7M"));
      assertThat(log.errors()).isEmpty();
      assertThat(log.warnings()).isEmpty();
    }
  }

  private static DefaultListenerRegistry handler(OutboxHandler.Body body) {
    return new DefaultListenerRegistry().register(OutboxHandler.of("Any", body));
  }

  private static final class Deferring implements TransactionalOutboxHandler {
    @Override
    public String topic() {
      return "Any";
    }

    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) {
      return HandlerResult.deferred(Duration.ofMinutes(1));
    }
  }
}
