package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasedEventStore.Lease;

/** What a failure of a listener leaves behind. */
interface FailureRules extends OutboxUnderTest {

  @Test
  @Spec({"FRM-04", "FRM-58", "FRM-74", "FRM-90", "IDEM-34", "IDEM-78"})
  default void repeatedFailureRetriesWithGrowingAttemptsAndEndsDead() throws Exception {
    List<Integer> attemptsSeen = new CopyOnWriteArrayList<>();
    EventEnvelope event = EventEnvelope.ofJson("Failing", "{}");
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(3),
            new DefaultListenerRegistry()
                .register(
                    "Failing",
                    e -> {
                      attemptsSeen.add(row(e.eventId()).orElseThrow().attempts());
                      throw new IllegalStateException("no good");
                    }));
    startedPoller(dispatcher);

    publish(client(dispatcher), event);

    awaitStatus(event.eventId(), EventStatus.DEAD);
    assertThat(attemptsSeen).containsExactly(0, 1, 2);
    assertThat(row(event.eventId()).orElseThrow())
        .satisfies(row -> assertThat(row.attempts()).isEqualTo(3))
        .satisfies(
            row ->
                assertThat(row.lastError())
                    .isEqualTo(
                        "gave up after 3 attempts: java.lang.IllegalStateException: no good"));
  }

  @Test
  @Spec({"FRM-48", "FRM-58"})
  default void failedEventWaitsForItsBackoffAsRetry() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000),
            new DefaultListenerRegistry()
                .register(
                    "Failing",
                    e -> {
                      throw new IllegalStateException();
                    }));

    String id = publish(client(dispatcher), "Failing");

    awaitStatus(id, EventStatus.RETRY);
    EventStoreContract.Row row = row(id).orElseThrow();
    assertThat(row.owner()).isNull();
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.lastError()).contains("IllegalStateException");
    assertThat(Duration.between(row.createdAt(), row.availableAt()))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(16));
  }

  @Test
  @Spec({"FRM-58", "FRM-73", "FRM-74", "IDEM-28", "IDEM-35", "IDEM-36", "IDEM-79"})
  default void delayDoublesWithEachFailureUpToItsLimit() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(6_000_000),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      throw new IllegalStateException("still down");
                    }));
    int[] minutes = {10, 20, 40, 80, 100, 100};
    List<String> ids = new ArrayList<>();
    for (int failures = 0; failures < minutes.length; failures++) {
      ids.add(storeFailed(failures));
    }

    poller(dispatcher).poll();

    for (int failures = 0; failures < minutes.length; failures++) {
      String id = ids.get(failures);
      int counted = failures + 1;
      awaitTrue(() -> row(id).orElseThrow().attempts() == counted);
      EventStoreContract.Row row = row(id).orElseThrow();
      Duration expected = Duration.ofMinutes(minutes[failures]);
      assertThat(row.status()).isEqualTo(EventStatus.RETRY);
      assertThat(Duration.between(row.createdAt(), row.availableAt()))
          .as("after failure %s", counted)
          .isBetween(expected.dividedBy(2), expected.multipliedBy(3).dividedBy(2).plusMinutes(1));
    }
  }

  /** Stores an event that is due and has failed so many times. */
  private String storeFailed(int failures) throws Exception {
    String id = store(EventEnvelope.ofJson("Failing", "{}"));
    Instant due = Instant.now().minusSeconds(60);
    for (int i = 0; i < failures; i++) {
      int changed = connections().inAutoCommit(c -> store().markRetry(c, id, due, "down"));
      assertThat(changed).isEqualTo(1);
    }
    return id;
  }

  @Test
  @Spec({"IDEM-02", "IDEM-03", "IDEM-24", "IDEM-25", "IDEM-74", "IDEM-75", "IDEM-76"})
  default void failureKeepsItsErrorUntilSuccessMarksTheEventProcessedAndClearsIt()
      throws Exception {
    AtomicBoolean works = new AtomicBoolean();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      if (!works.get()) {
                        works.set(true);
                        throw new IllegalStateException("not yet");
                      }
                    }));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.RETRY);
    EventStoreContract.Row failed = row(id).orElseThrow();
    assertThat(failed.attempts()).isEqualTo(1);
    assertThat(failed.lastError()).isEqualTo("java.lang.IllegalStateException: not yet");
    assertThat(failed.doneAt()).isNull();

    startedPoller(dispatcher);
    awaitStatus(id, EventStatus.DONE);
    EventStoreContract.Row done = row(id).orElseThrow();
    assertThat(done.doneAt())
        .as("not before the second attempt")
        .isAfterOrEqualTo(failed.availableAt())
        .isAfter(done.createdAt());
    assertThat(done.lastError()).isNull();
    assertThat(done.attempts()).isEqualTo(1);
  }

  @Test
  @Spec({"IDEM-03", "IDEM-31", "IDEM-84"})
  default void errorOfAnyLengthIsCutAndKeepsTheReasonOfTheEnd() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(1),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      throw new IllegalStateException("x".repeat(30_000));
                    }));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError())
        .startsWith("gave up after 1 attempt: java.lang.IllegalStateException: xxx")
        .hasSize(4_000);
  }

  @Test
  @Spec("IDEM-66")
  default void afterACrashOnlyWhatIsNotProcessedRunsAgain() throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    String processed = EventEnvelope.ofJson("Any", "{}").eventId();
    String unprocessed = "un" + processed;
    Lease lease = new Lease("crashed", Duration.ofMillis(1));
    transactions()
        .run(
            connection -> {
              for (String id : List.of(processed, unprocessed)) {
                EventEnvelope event =
                    EventEnvelope.builder("Any").eventId(id).payloadJson("{}").build();
                store().insert(connection, event, lease);
              }
              store().ack(connection, "crashed", List.of(processed));
            });
    OutboxDispatcher survivor =
        dispatcher(
            config(),
            new DefaultListenerRegistry().registerAll(event -> handled.add(event.eventId())));

    startedPoller(survivor);
    awaitStatus(unprocessed, EventStatus.DONE);

    survivor.close();
    assertThat(handled).containsExactly(unprocessed);
  }
}
