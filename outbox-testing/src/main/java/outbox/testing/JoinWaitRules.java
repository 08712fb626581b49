package outbox.testing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.HandlerResult;
import outbox.PermanentFailureException;
import outbox.join.JoinCoordinator;
import outbox.join.JoinPlan;
import outbox.join.JoinWaitHandler;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** A wait parks until its join has ended, and then goes on once. */
interface JoinWaitRules extends JoinsUnderTest {

  @Test
  @Spec({"JOIN-055", "JOIN-056", "OBX-084", "OBX-087", "OBXU-07"})
  default void aCompletedJoinGoesOnAsPlanned() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = waitFor(join);
    complete("a", "b");

    assertThat(deliver(waiting)).isEqualTo(HandlerResult.done());

    assertDone(waiting);
    assertThat(claimDue("went-well"))
        .singleElement()
        .extracting(OutboxEvent::payloadJson)
        .isEqualTo("{\"ok\":1}");
    assertThat(claimDue("went-wrong")).isEmpty();
  }

  @Test
  @Spec({"JOIN-054", "JOIN-056", "OBX-086", "OBX-088"})
  default void aFailedStepTakesTheOtherBranch() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = waitFor(join);
    complete("a");
    kill("b");

    deliver(waiting);

    assertDone(waiting);
    List<OutboxEvent> due = claimDue("went-wrong");
    assertThat(due).singleElement().extracting(OutboxEvent::payloadJson).isEqualTo("{}");
  }

  @Test
  @Spec({"JOIN-055", "JOIN-041"})
  default void failedStepsAreToleratedIfAskedFor() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = joins().enqueueJoinWait(join, false, "next", "{}", "other", "{}");
    complete("a");
    kill("b");

    deliver(waiting);

    assertThat(claimDue("next")).hasSize(1);
    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-054", "JOIN-056"})
  default void aFailureWithoutAContinuationEndsTheWait() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = joins().enqueueJoinWait(join, true, "next", "{}", null, null);
    kill("a");

    deliver(waiting);

    assertDone(waiting);
    assertThat(claimDue("next")).isEmpty();
  }

  @Test
  @Spec({"JOIN-051", "JOIN-055"})
  default void anEmptyPayloadIsAPayload() throws SQLException {
    JoinIdentifier good = joinOf(1, "a");
    JoinIdentifier bad = joinOf(1, "b");
    MessageId first = joins().enqueueJoinWait(good, true, "next", "", null, null);
    MessageId second = joins().enqueueJoinWait(bad, true, "next", "{}", "other", null);
    complete("a");
    kill("b");

    deliver(first);
    deliver(second);

    assertThat(claim(next(first), next(second)))
        .extracting(ClaimedEvent::event)
        .extracting(OutboxEvent::payloadJson)
        .containsExactly("", "");
  }

  @Test
  @Spec("JOIN-051")
  default void topicsAndPayloadsArriveAsTheyWereGiven() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    String payload = "\"quotes\" \\ back\n{\"ü\":\"\uD83D\uDE00\u0007\"}";
    MessageId waiting = joins().enqueueJoinWait(join, true, "Näxt.Topic", payload, null, null);
    complete("a");

    deliver(waiting);

    assertThat(claimDue("Näxt.Topic"))
        .singleElement()
        .extracting(OutboxEvent::payloadJson)
        .isEqualTo(payload);
  }

  @Test
  @Spec({"JOIN-053", "JOIN-057", "OBX-085"})
  default void aWaitForAPendingJoinParksAndCountsNothing() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);

    for (int look = 0; look < 30; look++) {
      assertThat(deliver(waiting)).isEqualTo(HandlerResult.deferred(JoinWaitHandler.LONGEST_PARK));
      assertThat(isDue(waiting)).isFalse();
      advance(JoinWaitHandler.LONGEST_PARK.plusSeconds(1));
      assertThat(isDue(waiting)).isTrue();
    }

    assertThat(message(waiting).attempts()).isZero();
    assertThat(message(waiting).status()).isEqualTo(EventStatus.NEW);
    complete("a");
    deliver(waiting);
    assertDone(waiting);
  }

  @Test
  default void whatEndsTheJoinMakesItsParkedWaitsDueAtOnce() throws SQLException {
    JoinIdentifier acked = joinOf(1, "a");
    JoinIdentifier failed = joinOf(1, "b");
    JoinIdentifier cancelled = joinOf(1, "c");
    List<MessageId> waits =
        List.of(waitFor(acked), waitFor(acked), waitFor(failed), waitFor(cancelled));
    JoinIdentifier pending = joinOf(2, "d", "e");
    MessageId stillWaiting = waitFor(pending);
    for (MessageId waiting : waits) {
      deliver(waiting);
      assertThat(isDue(waiting)).isFalse();
    }
    deliver(stillWaiting);

    complete("a", "d");
    kill("b");
    joins().cancelJoin(cancelled);

    assertThat(waits).allMatch(this::isDue);
    assertThat(isDue(stillWaiting)).isFalse();
  }

  @Test
  default void aWaitThatSomebodyHoldsIsLeftToItsHolder() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    claim(waiting.value());
    EventStoreContract.Row before = message(waiting);

    complete("a");

    assertThat(message(waiting)).isEqualTo(before);
  }

  @Test
  default void theWakeUpIsAnnouncedAfterTheCommit() throws Exception {
    JoinIdentifier join = joinOf(1, "a");
    waitFor(join);
    AtomicInteger wakeUps = new AtomicInteger();
    tracker()
        .onDue(
            () -> {
              assertThat(stored(join).status()).isEqualTo(JoinStatus.COMPLETED);
              wakeUps.incrementAndGet();
            });

    complete("a");

    assertThat(wakeUps).hasValue(1);
  }

  @Test
  @Spec("JOIN-052")
  default void aWaitForAJoinThatDoesNotExistIsDeadAtOnce() {
    EventEnvelope message =
        EventEnvelope.ofJson(
            JoinCoordinator.DEFAULT_WAIT_TOPIC,
            "{\"joinId\":\"nowhere\",\"failIfAnyStepFailed\":\"true\",\"onCompleteTopic\":\"next\","
                + "\"onCompletePayload\":\"\"}");
    call(
        connection -> {
          events().insert(connection, message, null);
          return message;
        });

    assertThatThrownBy(() -> deliver(new MessageId(message.eventId())))
        .isInstanceOf(PermanentFailureException.class)
        .hasMessageContaining("join nowhere does not exist");
  }

  @Test
  @Spec({"JOIN-051", "JOIN-052"})
  default void aMessageThatIsNoWaitIsDeadAtOnceAndNotQuoted() {
    EventEnvelope message = EventEnvelope.ofJson("join.wait", "{\"secret\":\"x\"}");
    call(
        connection -> {
          events().insert(connection, message, null);
          return message;
        });

    assertThatThrownBy(() -> deliver(new MessageId(message.eventId())))
        .isInstanceOf(PermanentFailureException.class)
        .hasMessageContaining("joinId")
        .hasMessageNotContaining("secret");
  }

  @Test
  default void aReRunCannotGoOnTwice() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    complete("a");
    OutboxEvent event = claim(waiting.value()).get(0).event();
    try (Connection connection = beginTransaction()) {
      handle(connection, event);
      connection.rollback();
    }
    assertThat(row(next(waiting))).isEmpty();
    try (Connection connection = beginTransaction()) {
      settle(connection, waiting, handle(connection, event));
      connection.commit();
    }
    assertThat(row(next(waiting))).isPresent();

    try (Connection connection = beginTransaction()) {
      assertThatThrownBy(() -> handle(connection, event)).isInstanceOf(RuntimeException.class);
      connection.rollback();
    }
    assertThat(claimDue("went-well")).hasSize(1);
  }

  @Test
  @Spec("JOINU-02")
  default void aContinuationThatCouldNotBeEnqueuedIsRefusedAtOnce() {
    JoinIdentifier join = joinOf(1, "a");
    String tooLong = "x".repeat(256);

    assertThatThrownBy(() -> joins().enqueueJoinWait(join, true, "", "{}", null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("onCompleteTopic");
    assertThatThrownBy(() -> joins().enqueueJoinWait(join, true, tooLong, "{}", null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("onCompleteTopic");
    assertThatThrownBy(() -> joins().enqueueJoinWait(join, true, "next", "{}", "", null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("onFailTopic");
    assertThatThrownBy(() -> joins().enqueueJoinWait(join, true, "next", "\0", null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("onCompletePayload");
    assertThatThrownBy(() -> waitFor(new JoinIdentifier("nowhere")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("join nowhere does not exist");
    assertThat(claimDue(JoinCoordinator.DEFAULT_WAIT_TOPIC)).isEmpty();
  }

  @Test
  @Spec({"JOIN-050", "JOINU-04"})
  default void waitMessagesHaveTheConfiguredTopic() {
    JoinCoordinator configured =
        JoinCoordinator.builder(this::open, events(), tracker()).waitTopic("fan.in").build();
    JoinIdentifier join = joinOf(1, "a");

    configured.enqueueJoinWait(join, true, "next", "{}", null, null);
    waitFor(join);

    assertThat(configured.waitHandler().topic()).isEqualTo("fan.in");
    assertThat(joins().waitHandler().topic()).isEqualTo("join.wait");
    assertThat(claimDue("fan.in")).hasSize(1);
  }

  @Test
  @Spec("JOIN-073")
  default void decisionsAreLogged() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    try (LogCapture log = LogCapture.of(JoinWaitHandler.class.getName())) {
      deliver(waiting);
      complete("a");
      deliver(waiting);

      assertThat(log.all())
          .anySatisfy(line -> assertThat(line).contains("parked").contains("join=" + join))
          .anySatisfy(line -> assertThat(line).contains("COMPLETED").contains("with=went-well"))
          .noneSatisfy(line -> assertThat(line).contains("ok"));
    }
  }

  @Test
  default void aPlanIsOneTransaction() throws SQLException {
    MessageId existing = enqueue("existing");
    JoinPlan.Started rolledBack;
    try (Connection connection = beginTransaction()) {
      rolledBack =
          joins().in(connection).plan().step("extract", "{}").onComplete("next", "{}").start();
      connection.rollback();
    }
    assertThat(joins().find(rolledBack.join())).isEmpty();
    assertThat(row(rolledBack.steps().get(0).value())).isEmpty();

    JoinPlan.Started started =
        joins()
            .plan()
            .groupingKey("customer")
            .metadata("{}")
            .deadline(Duration.ofHours(1))
            .step("extract", "1")
            .step(EventEnvelope.ofJson("extract", "2"))
            .step(existing)
            .onComplete("next", "{}")
            .onFail("other", "{}")
            .start();

    assertThat(stored(started.join()).expectedSteps()).isEqualTo(3);
    assertThat(stored(started.join()).deadline()).isNotNull();
    assertThat(joins().missingSteps(started.join())).hasSize(3);
    complete(started.steps().stream().map(MessageId::value).toArray(String[]::new));
    deliver(requireNonNull(started.waitId()));
    assertThat(claimDue("next")).hasSize(1);
  }

  @Test
  default void aPlanThatMakesNoSenseIsRefusedWithoutATrace() {
    assertThatThrownBy(() -> joins().plan().onComplete("next", "{}").start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expectedSteps (0)");
    assertThatThrownBy(() -> joins().plan().step("a", "{}").onFail("other", "{}").start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("onComplete");
    assertThatThrownBy(() -> joins().plan().step("a", "{}").step(new MessageId("unknown")).start())
        .isInstanceOf(IllegalStateException.class);
    assertThat(claimDue("a")).isEmpty();
  }

  /** The id that the continuation of a wait has. */
  static String next(MessageId waiting) {
    byte[] name = ("outbox join continuation of " + waiting).getBytes(StandardCharsets.UTF_8);
    return UUID.nameUUIDFromBytes(name).toString();
  }
}
