package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxHandler;
import outbox.RetryAfterException;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;

/** How often, how long and after what an event is tried again, by the rules of its topic. */
interface TopicRetryRules extends OutboxUnderTest {
  Retries AT_ONCE = Retries.fixed(Duration.ZERO);

  private OutboxDispatcher dispatcher(Retries retries, EventListener listener) {
    return dispatcher(retries, new DefaultListenerRegistry().registerAll(listener));
  }

  private OutboxDispatcher dispatcher(Retries retries, DefaultListenerRegistry listeners) {
    return closing(
        OutboxDispatcher.builder(connections(), store())
            .config(config())
            .retries("Special", retries)
            .listeners(listeners)
            .build());
  }

  private String lastError(String id) {
    return String.valueOf(row(id).orElseThrow().lastError());
  }

  @Test
  @Spec({"IDEM-27", "IDEM-30", "IDEM-34", "IDEM-78"})
  default void noAttemptFollowsTheLastOneAndTheEventIsFlaggedAsDead() throws Exception {
    List<String> runs = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            AT_ONCE.maxAttempts(5),
            event -> {
              runs.add(event.eventId());
              throw new IllegalStateException("down");
            });
    OutboxPoller poller = startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Special");
    awaitStatus(id, EventStatus.DEAD);
    poller.poll();
    dispatcher.close();

    assertThat(runs).hasSize(5);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(5);
    assertThat(row(id).orElseThrow().processedBy()).isNull();
    assertThat(row(id).orElseThrow().doneAt()).isNull();
    assertThat(lastError(id))
        .isEqualTo("gave up after 5 attempts: java.lang.IllegalStateException: down");
  }

  @Test
  @Spec({"IDEM-28", "IDEM-29", "IDEM-35"})
  default void failedEventIsLeftAloneUntilItsNextAttempt() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            Retries.fixed(Duration.ofMinutes(10)),
            event -> {
              runs.incrementAndGet();
              throw new IllegalStateException("down");
            });

    String id = publish(client(dispatcher), "Special");
    awaitStatus(id, EventStatus.RETRY);
    poller(dispatcher).poll();
    dispatcher.close();

    assertThat(runs).hasValue(1);
    EventStoreContract.Row row = row(id).orElseThrow();
    assertThat(Duration.between(row.createdAt(), row.availableAt()))
        .isBetween(Duration.ofSeconds(599), Duration.ofSeconds(700));
  }

  @Test
  default void topicsWithoutRulesOfTheirOwnKeepToTheConfiguration() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            AT_ONCE.maxAttempts(1),
            event -> {
              throw new IllegalStateException("down");
            });
    startedPoller(dispatcher);

    String special = publish(client(dispatcher), "Special");
    String other = publish(client(dispatcher), "Other");

    awaitStatus(other, EventStatus.DEAD);
    awaitStatus(special, EventStatus.DEAD);
    assertThat(row(special).orElseThrow().attempts()).isEqualTo(1);
    assertThat(row(other).orElseThrow().attempts()).isEqualTo(10);
  }

  @Test
  default void eventWhoseNextAttemptWouldBeTooLateIsDead() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            Retries.fixed(Duration.ofHours(2)).maxAge(Duration.ofHours(1)),
            event -> {
              throw new IllegalStateException("down");
            });

    String id = publish(client(dispatcher), "Special");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(lastError(id))
        .isEqualTo(
            "gave up after 1 attempt, the next would be past maxAge PT1H:"
                + " java.lang.IllegalStateException: down");
  }

  @Test
  default void exceptionThatIsAlwaysRetriedIsLimitedByTheAgeAlone() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            AT_ONCE.maxAttempts(1).maxAge(Duration.ofSeconds(3)).always(IOException.class),
            event -> {
              throw new IllegalStateException(new ConnectException("refused"));
            });
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Special");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().attempts()).isGreaterThan(1);
    assertThat(lastError(id)).contains("past maxAge PT3S").contains("refused");
  }

  @Test
  default void exceptionThatIsNeverRetriedEndsTheEventAlsoAsACause() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            AT_ONCE.never(NumberFormatException.class),
            new DefaultListenerRegistry()
                .register(
                    OutboxHandler.of(
                        "Special",
                        (message, context) -> {
                          throw new IOException(new NumberFormatException("not a number"));
                        })));

    String id = publish(client(dispatcher), "Special");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(1);
    assertThat(lastError(id))
        .startsWith("never retried after java.lang.NumberFormatException: java.io.IOException")
        .contains("not a number");
  }

  @Test
  default void listenerSaysWhenToComeAgainAndItCountsAsAnAttempt() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            AT_ONCE.maxAttempts(2),
            event -> {
              boolean first = row(event.eventId()).orElseThrow().attempts() == 0;
              Duration delay =
                  "later".equals(event.eventId()) && first ? Duration.ofHours(1) : Duration.ZERO;
              throw new RetryAfterException(delay, "too many requests");
            });
    startedPoller(dispatcher);

    publish(client(dispatcher), event("later"));
    publish(client(dispatcher), event("now"));

    awaitStatus("now", EventStatus.DEAD);
    awaitStatus("later", EventStatus.RETRY);
    assertThat(lastError("now")).startsWith("gave up after 2 attempts: ");
    EventStoreContract.Row later = row("later").orElseThrow();
    assertThat(later.attempts()).isEqualTo(1);
    assertThat(later.availableAt()).isAfter(later.createdAt().plusSeconds(3500));
  }

  @Test
  @Spec({"IDEM-63", "IDEM-83"})
  default void twoDispatchersHandleEachEventOnce() throws Exception {
    int events = 100;
    List<String> handled = new CopyOnWriteArrayList<>();
    for (int i = 0; i < events; i++) {
      store(event("event-" + i));
    }

    for (int node = 0; node < 2; node++) {
      startedPoller(dispatcher(AT_ONCE, event -> handled.add(event.eventId())));
    }

    awaitTrue(() -> handled.size() >= events);
    for (int i = 0; i < events; i++) {
      awaitStatus("event-" + i, EventStatus.DONE);
    }
    assertThat(handled).hasSize(events).doesNotHaveDuplicates();
  }

  private static EventEnvelope event(String id) {
    return EventEnvelope.builder("Special").eventId(id).payloadJson("{}").build();
  }
}
