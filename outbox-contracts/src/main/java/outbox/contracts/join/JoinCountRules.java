package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.StepStatus;
import outbox.spi.LeasedEventStore;

/** The ends of messages are counted in their joins, with the transition. */
interface JoinCountRules extends JoinsUnderTest {

  @Test
  @Spec({"JOIN-030", "JOIN-040", "JOIN-041", "OBX-027", "OBX-083"})
  default void acknowledgedMessagesCompleteTheirJoin() {
    JoinIdentifier join = joinOf(2, "a", "b");

    complete("a");
    assertCounts(join, 1, 0, JoinStatus.PENDING);
    complete("b");

    assertCounts(join, 2, 0, JoinStatus.COMPLETED);
    assertThat(stored(join).isComplete()).isTrue();
    assertThat(joins().missingSteps(join)).isEmpty();
  }

  @Test
  @Spec({"JOIN-031", "JOIN-041", "OBX-040", "OBX-083", "OBX-086"})
  default void oneFailedMessageFailsTheJoinOnceAllHaveEnded() {
    JoinIdentifier join = joinOf(2, "a", "b");

    kill("a");
    assertCounts(join, 0, 1, JoinStatus.PENDING);
    complete("b");

    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-030", "JOIN-031"})
  default void everyWayToAnEndCounts() {
    JoinIdentifier join = joinOf(4, "acked", "failed", "marked-done", "marked-dead");

    complete("acked");
    kill("failed");
    call(connection -> events().markDone(connection, "marked-done"));
    call(connection -> events().markDead(connection, "marked-dead", "broken"));

    assertCounts(join, 2, 2, JoinStatus.FAILED);
  }

  @Test
  @Spec("JOIN-031")
  default void aMessageThatExpiredCountsAsFailed() {
    EventEnvelope late =
        EventEnvelope.builder("Step")
            .eventId("late")
            .payloadJson("{}")
            .expiresAt(now().minusSeconds(60))
            .build();
    call(
        connection -> {
          events().insert(connection, late, null);
          return late;
        });
    JoinIdentifier join = joins().startJoin(null, 1, null);
    joins().attach(join, new MessageId("late"));

    assertThat(claim("late")).isEmpty();

    assertCounts(join, 0, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-030", "JOIN-031"})
  default void whatIsNoEndCountsNothing() {
    JoinIdentifier join = joinOf(1, "a");

    claim("a");
    call(connection -> events().abandon(connection, ME, failures(List.of("a"))));
    claim("a");
    call(connection -> events().defer(connection, ME, List.of("a"), Duration.ZERO));

    assertCounts(join, 0, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec("JOIN-032")
  default void whatATransitionDidNotMatchIsNotCounted() {
    JoinIdentifier join = joinOf(3, "mine", "free", "theirs");
    claim("mine");
    call(connection -> events().claimById(connection, "other", LEASE, List.of("theirs")));

    assertThat(ack("mine", "free", "theirs", "unknown")).containsExactly("mine");
    assertThat(ack("mine")).isEmpty();
    assertThat(fail("mine", "free", "theirs")).isEmpty();

    assertCounts(join, 1, 0, JoinStatus.PENDING);
    assertThat(step(join, "free")).isEqualTo(StepStatus.PENDING);
    assertThat(step(join, "theirs")).isEqualTo(StepStatus.PENDING);
  }

  @Test
  @Spec({"JOIN-032", "OBX-028", "OBX-041"})
  default void transitionAndCountAreOneTransaction() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    claim("a", "b");
    try (Connection connection = beginTransaction()) {
      events().ack(connection, ME, List.of("a"));
      events().fail(connection, ME, failures(List.of("b")));
      connection.rollback();
    }
    assertCounts(join, 0, 0, JoinStatus.PENDING);
    assertThat(step(join, "a")).isEqualTo(StepStatus.PENDING);

    try (Connection connection = beginTransaction()) {
      events().ack(connection, ME, List.of("a"));
      assertCounts(join, 0, 0, JoinStatus.PENDING);
      connection.commit();
    }
    assertCounts(join, 1, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec("JOIN-034")
  default void reportingByHandComesToTheSame() {
    JoinIdentifier automatic = joinOf(2, "a", "b");
    JoinIdentifier manual = joinOf(2, "c", "d");
    MessageId automaticWait = waitFor(automatic);
    MessageId manualWait = waitFor(manual);

    complete("a");
    kill("b");
    joins().reportStepCompleted(manual, new MessageId("c"));
    joins().reportStepFailed(manual, new MessageId("d"));

    assertCounts(automatic, 1, 1, JoinStatus.FAILED);
    assertCounts(manual, 1, 1, JoinStatus.FAILED);
    assertThat(joins().steps(automatic))
        .extracting(JoinStep::status)
        .containsExactly(StepStatus.COMPLETED, StepStatus.FAILED);
    assertThat(joins().steps(manual))
        .extracting(JoinStep::status)
        .containsExactly(StepStatus.COMPLETED, StepStatus.FAILED);
    assertThat(isDue(automaticWait)).isTrue();
    assertThat(isDue(manualWait)).isTrue();
  }

  @Test
  default void aHookThatThrowsLeavesTheMessageAsItWas() {
    enqueue("a");
    claim("a");
    assertThatThrownBy(() -> call(connection -> broken().ack(connection, ME, List.of("a"))))
        .isInstanceOf(IllegalStateException.class);
    assertThat(message(new MessageId("a")).status()).isEqualTo(EventStatus.NEW);
  }

  /** The events, with a hook that throws an IllegalStateException. */
  LeasedEventStore broken();

  @Test
  default void aReplayedStepDoesNotCountTwice() {
    JoinIdentifier join = joinOf(2, "a", "b");
    kill("a");
    assertCounts(join, 0, 1, JoinStatus.PENDING);

    assertThat(replay("a")).containsExactly("a");
    complete("a");
    assertCounts(join, 0, 1, JoinStatus.PENDING);
    kill("b");
    assertThat(replay("b")).containsExactly("b");
    kill("b");

    assertCounts(join, 0, 2, JoinStatus.FAILED);
    assertThat(step(join, "a")).isEqualTo(StepStatus.FAILED);
  }

  @Test
  default void aReplayedStepCountsInTheJoinsThatMissItOnly() throws SQLException {
    JoinIdentifier before = joinOf(3, "a");
    kill("a");
    assertThat(replay("a")).containsExactly("a");
    JoinIdentifier after = joins().startJoin("contract", 1, null);
    joins().attach(after, new MessageId("a"));
    JoinIdentifier other = joinOf(1, "b");
    claim("a");

    try (Connection connection = beginTransaction()) {
      joinStore().lock(connection, before);
      joinStore().lock(connection, other);
      Set<String> acknowledged =
          CompletableFuture.supplyAsync(() -> ack("a")).orTimeout(30, TimeUnit.SECONDS).join();
      assertThat(acknowledged).as("waits for no other join").containsExactly("a");
      connection.rollback();
    }

    assertCounts(before, 0, 1, JoinStatus.PENDING);
    assertThat(step(before, "a")).isEqualTo(StepStatus.FAILED);
    assertCounts(after, 1, 0, JoinStatus.COMPLETED);
    assertCounts(other, 0, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec("JOINU-06")
  default void aPurgeOfMessagesLeavesTheStepsOfJoins() {
    JoinIdentifier join = joinOf(3, "a", "b", "c");
    complete("a");
    kill("b");
    advance(Duration.ofDays(10));

    int done = call(c -> events().purgeDone(c, Duration.ofDays(7), 100));
    int dead = call(c -> events().purgeDead(c, Duration.ofDays(7), 100));

    assertThat(List.of(done, dead)).containsExactly(1, 1);

    assertThat(row("a")).isEmpty();
    assertThat(joins().steps(join)).hasSize(3);
    complete("c");
    assertCounts(join, 2, 1, JoinStatus.FAILED);
  }

  private Set<String> replay(String eventId) {
    return call(c -> events().replay(c, List.of(eventId), "alice", false, null));
  }
}
