package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.Connection;
import java.sql.SQLException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.HandlerResult;
import outbox.contracts.support.Spec;
import outbox.join.JoinCoordinator;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.OutboxEvent;

/** How an ended join continues, and that it does so once. */
interface JoinContinuationRules extends JoinsUnderTest {

  @Test
  @Spec({"JOIN-055", "JOIN-056", "OBX-084", "OBX-087", "OBXU-07"})
  default void aCompletedJoinGoesOnAsPlanned() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = waitFor(join);
    complete("a", "b");

    assertThat(deliver(waiting)).isEqualTo(HandlerResult.done());

    assertDone(waiting);
    assertThat(claimDue())
        .extracting(OutboxEvent::eventType, OutboxEvent::payloadJson)
        .containsExactly(tuple("went-well", "{\"ok\":1}"));
  }

  @Test
  @Spec({"JOIN-054", "JOIN-056", "OBX-084", "OBX-086", "OBX-088"})
  default void aFailedStepTakesTheOtherBranch() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = waitFor(join);
    complete("a");
    kill("b");

    deliver(waiting);

    assertDone(waiting);
    assertThat(claimDue())
        .extracting(OutboxEvent::eventType, OutboxEvent::payloadJson)
        .containsExactly(tuple("went-wrong", "{}"));
    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-055", "JOIN-041", "OBX-084", "OBX-086", "OBX-087"})
  default void failedStepsAreToleratedIfAskedFor() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = joins().enqueueJoinWait(join, false, "next", "{}", "other", "{}");
    complete("a");
    kill("b");

    deliver(waiting);

    assertThat(claimDue()).extracting(OutboxEvent::eventType).containsExactly("next");
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

  /** A wait that was written without this library. */
  @Test
  @Spec({"JOIN-051", "JOIN-054", "JOIN-056"})
  default void anEmptyTopicOfAFailureIsNone() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    EventEnvelope wait =
        EventEnvelope.ofJson(
            JoinCoordinator.DEFAULT_WAIT_TOPIC,
            "{\"joinId\":\"%s\",\"failIfAnyStepFailed\":\"true\",\"onCompleteTopic\":\"next\","
                    .formatted(join)
                + "\"onCompletePayload\":\"\",\"onFailTopic\":\"\",\"onFailPayload\":\"\"}");
    call(
        connection -> {
          events().insert(connection, wait, null);
          return wait;
        });
    kill("a");

    assertThat(deliver(new MessageId(wait.eventId()))).isEqualTo(HandlerResult.done());

    assertDone(new MessageId(wait.eventId()));
    assertThat(claimDue("next")).isEmpty();
  }

  @Test
  @Spec({"JOIN-051", "JOIN-055"})
  default void anEmptyPayloadIsAPayload() throws SQLException {
    JoinIdentifier good = joinOf(1, "a");
    JoinIdentifier bad = joinOf(1, "b");
    MessageId first = joins().enqueueJoinWait(good, true, "next", "", null, null);
    MessageId second = joins().enqueueJoinWait(bad, true, "well", "{}", "next", null);
    complete("a");
    kill("b");

    deliver(first);
    deliver(second);

    assertThat(claimDue("next")).extracting(OutboxEvent::payloadJson).containsExactly("", "");
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
  @Spec("IDEM-10")
  default void aReRunCannotGoOnTwice() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    complete("a");
    OutboxEvent event = claim(waiting.value()).get(0).event();
    try (Connection connection = beginTransaction()) {
      handle(connection, event);
      connection.rollback();
    }
    assertThat(claimDue("went-well")).as("rolled back with its transaction").isEmpty();
    try (Connection connection = beginTransaction()) {
      settle(connection, waiting, handle(connection, event));
      connection.commit();
    }
    try (Connection connection = beginTransaction()) {
      handle(connection, event);
      connection.commit();
    }
    assertThat(claimDue("went-well")).hasSize(1);
  }

  @Test
  @Spec("JOINU-02")
  default void aContinuationThatCouldNotBeEnqueuedIsRefusedAtOnce() {
    JoinIdentifier join = joinOf(1, "a");
    String tooLong = "x".repeat(256);

    refused(join, "", "{}", null, null, "onCompleteTopic");
    refused(join, tooLong, "{}", null, null, "onCompleteTopic");
    refused(join, "next", "\0", null, null, "onCompletePayload");
    refused(join, "next", "{}", "", null, "onFailTopic");
    refused(join, "next", "{}", tooLong, null, "onFailTopic");
    refused(join, "next", "{}", "other", "\0", "onFailPayload");
    assertThatThrownBy(() -> waitFor(new JoinIdentifier("nowhere")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("join nowhere does not exist");
    assertThat(claimDue(JoinCoordinator.DEFAULT_WAIT_TOPIC)).isEmpty();
  }

  private void refused(
      JoinIdentifier join,
      String onCompleteTopic,
      String onCompletePayload,
      @Nullable String onFailTopic,
      @Nullable String onFailPayload,
      String named) {
    assertThatThrownBy(
            () ->
                joins()
                    .enqueueJoinWait(
                        join, true, onCompleteTopic, onCompletePayload, onFailTopic, onFailPayload))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(named);
  }

  @Test
  @Spec("JOINU-02")
  @SuppressWarnings("NullAway")
  default void aWaitNeedsAJoinATopicAndAPayloadToGoOnWith() {
    JoinIdentifier join = joinOf(1, "a");

    missing(() -> joins().enqueueJoinWait(null, true, "next", "{}", null, null), "joinId");
    missing(() -> joins().enqueueJoinWait(join, true, null, "{}", null, null), "onCompleteTopic");
    missing(
        () -> joins().enqueueJoinWait(join, true, "next", null, null, null), "onCompletePayload");
    missing(
        () -> joins().enqueueJoinWait(join, false, "next", null, "other", "{}"),
        "onCompletePayload");
    missing(
        () -> joins().plan().groupingKey("p").step("s", "{}").onComplete("next", null).start(),
        "onCompletePayload");

    assertThat(claimDue(JoinCoordinator.DEFAULT_WAIT_TOPIC)).isEmpty();
    assertThat(joins().findByGroupingKey("p")).isEmpty();
  }

  private static void missing(ThrowingCallable call, String named) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(named);
  }

  @Test
  @Spec("JOINU-02")
  default void theLongestTopicsAndNoFailurePayloadAreFine() throws SQLException {
    String longest = "x".repeat(255);
    JoinIdentifier good = joinOf(1, "a");
    JoinIdentifier bad = joinOf(1, "b");
    MessageId first = joins().enqueueJoinWait(good, true, longest, "{}", null, null);
    MessageId second = joins().enqueueJoinWait(bad, true, "next", "{}", longest, null);
    complete("a");
    kill("b");

    deliver(first);
    deliver(second);

    assertThat(claimDue(longest))
        .extracting(OutboxEvent::payloadJson)
        .containsExactlyInAnyOrder("{}", "");
  }
}
