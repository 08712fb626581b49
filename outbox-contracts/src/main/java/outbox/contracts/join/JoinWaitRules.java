package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.HandlerResult;
import outbox.PermanentFailureException;
import outbox.contracts.store.EventStoreContract;
import outbox.contracts.support.Spec;
import outbox.join.JoinCoordinator;
import outbox.join.JoinWaitHandler;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.spi.LeasedEventStore.Failure;

/** A wait parks until its join has ended, and what ends the join makes it due. */
interface JoinWaitRules extends JoinsUnderTest {

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
  @Spec("JOIN-057")
  default void aWaitDependsOnTheJoinWhateverItsMessagesAre() throws SQLException {
    JoinIdentifier reported = joinOf(1, "still to be handled");
    joins().reportStepCompleted(reported, new MessageId("still to be handled"));
    JoinIdentifier oneShort = joinOf(2, "handled");
    complete("handled");

    assertThat(deliver(waitFor(reported))).isEqualTo(HandlerResult.done());
    assertThat(deliver(waitFor(oneShort))).isInstanceOf(HandlerResult.Deferred.class);

    assertThat(claimDue("went-well")).hasSize(1);
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
  default void aLeasedWaitIsLeftToItsHolder() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    claim(waiting.value());
    EventStoreContract.Row before = message(waiting);

    complete("a");

    assertThat(message(waiting)).isEqualTo(before);
  }

  @Test
  default void aWaitToBeTriedAgainIsWokenAndOneThatHasEndedIsNot() {
    JoinIdentifier join = joinOf(1, "a");
    MessageId retried = waitFor(join);
    MessageId dead = waitFor(join);
    claim(retried.value());
    Failure later = new Failure(retried.value(), Duration.ofHours(1), "busy");
    call(connection -> events().abandon(connection, ME, List.of(later)));
    kill(dead.value());
    EventStoreContract.Row before = message(dead);

    complete("a");

    assertThat(isDue(retried)).isTrue();
    assertThat(message(dead)).isEqualTo(before);
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

  /** As other languages write it. */
  @Test
  default void aWaitMaySayByATruthValueWhetherFailedStepsMatter() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    EventEnvelope message =
        EventEnvelope.ofJson(
            JoinCoordinator.DEFAULT_WAIT_TOPIC,
            "{\"failIfAnyStepFailed\": true, \"joinId\":\""
                + join.value()
                + "\",\"onCompleteTopic\":\"next\",\"onCompletePayload\":\"\"}");
    call(
        connection -> {
          events().insert(connection, message, null);
          return message;
        });

    assertThat(deliver(new MessageId(message.eventId())))
        .isInstanceOf(HandlerResult.Deferred.class);
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
  @Spec({"JOIN-050", "JOINU-04"})
  default void waitMessagesHaveTheConfiguredTopic() {
    JoinCoordinator configured =
        JoinCoordinator.builder(this::open, events(), tracker()).waitTopic("fan.in").build();
    JoinIdentifier join = joinOf(1, "a");

    configured.enqueueJoinWait(join, true, "next", "{}", null, null);
    assertThat(claimDue("fan.in")).hasSize(1);
    waitFor(join);
    assertThat(claimDue("join.wait")).hasSize(1);

    assertThat(configured.waitHandler().topic()).isEqualTo("fan.in");
    assertThat(joins().waitHandler().topic()).isEqualTo("join.wait");
  }
}
