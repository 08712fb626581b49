package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** Starting joins, attaching messages, reporting by hand, and what is refused. */
interface JoinRules extends JoinsUnderTest {

  @Test
  @Spec({"JOIN-001", "JOIN-005", "JOIN-006", "OBX-074", "OBX-075", "OBX-076"})
  default void aNewJoinIsPendingAndHasCountedNothing() {
    Instant now = now().plusSeconds(3600).truncatedTo(ChronoUnit.MICROS);
    stopAt(now);
    JoinIdentifier id = joins().startJoin("customer-1", 3, "{\"phase\":\"extract\"}");
    JoinIdentifier other = joins().startJoin("customer-1", 3, null);

    Join join = stored(id);
    assertThat(join.id()).isEqualTo(id).isNotEqualTo(other);
    assertThat(join.groupingKey()).isEqualTo("customer-1");
    assertThat(join.expectedSteps()).isEqualTo(3);
    assertThat(join.metadata()).isEqualTo("{\"phase\":\"extract\"}");
    assertThat(join.deadline()).isNull();
    assertCounts(id, 0, 0, JoinStatus.PENDING);
    assertThat(join.createdAt()).isEqualTo(now);
    assertThat(join.lastUpdatedAt()).isEqualTo(now);
  }

  @Test
  @Spec("JOINU-11")
  default void metadataIsAnyTextOrNone() {
    for (String metadata : Arrays.asList(null, "", "no json {", "öß 😀", "x".repeat(200_000))) {
      JoinIdentifier join = joins().startJoin(null, 1, metadata);

      assertThat(stored(join).metadata()).isEqualTo(metadata);
    }
  }

  @Test
  @Spec("JOIN-002")
  default void aJoinOfNothingIsRefused() {
    for (int steps : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> joins().startJoin("any", steps, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expectedSteps (" + steps + ")");
    }
  }

  @Test
  @Spec({"JOIN-003", "OBX-089"})
  default void anEmptyGroupingKeyIsNone() {
    JoinIdentifier empty = joins().startJoin("", 1, "");
    JoinIdentifier none = joins().startJoin(null, 1, null);
    JoinIdentifier tenant = joins().startJoin(4711L, 1, null);

    assertThat(stored(empty).groupingKey()).isNull();
    assertThat(stored(none).groupingKey()).isNull();
    assertThat(stored(tenant).groupingKey()).isEqualTo("4711");
    assertThat(joins().findByGroupingKey("4711")).extracting(Join::id).containsExactly(tenant);
  }

  @Test
  @Spec("JOIN-004")
  default void aGroupingKeyMayHave255Characters() {
    JoinIdentifier longest = joins().startJoin("ä".repeat(255), 1, null);

    assertThat(stored(longest).groupingKey()).hasSize(255);
    assertThatThrownBy(() -> joins().startJoin("x".repeat(256), 1, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("groupingKey (256 characters)");
  }

  @Test
  @Spec("JOINU-03")
  default void statusesHaveTheNumbersOfTheSpecification() {
    assertThat(List.of(JoinStatus.values()))
        .extracting(JoinStatus::code)
        .containsExactly(0, 1, 2, 3);
    assertThat(List.of(StepStatus.values())).extracting(StepStatus::code).containsExactly(0, 1, 2);
    assertThat(JoinStatus.ofCode(3)).isEqualTo(JoinStatus.CANCELLED);
    assertThat(StepStatus.ofCode(2)).isEqualTo(StepStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-010", "JOIN-013", "OBX-077", "OBXU-07"})
  default void anAttachedMessageIsAPendingStepAndCountsNothing() {
    JoinIdentifier join = joins().startJoin(null, 2, null);
    MessageId message = enqueue("a");
    Join before = stored(join);
    Instant now = now().plusSeconds(3600).truncatedTo(ChronoUnit.MICROS);
    stopAt(now);

    joins().attach(join, message);

    JoinStep step = joins().steps(join).get(0);
    assertThat(step.joinId()).isEqualTo(join);
    assertThat(step.messageId()).isEqualTo(message);
    assertThat(step.status()).isEqualTo(StepStatus.PENDING);
    assertThat(step.createdAt()).isEqualTo(now);
    assertThat(joins().missingSteps(join)).containsExactly(step);
    assertCounts(join, 0, 0, JoinStatus.PENDING);
    assertThat(stored(join)).isEqualTo(before);
  }

  @Test
  @Spec({"JOIN-011", "OBX-078"})
  default void attachingAgainChangesNothing() {
    JoinIdentifier join = joinOf(2, "a");
    complete("a");
    Join before = stored(join);

    joins().attach(join, new MessageId("a"));
    joins().attachAll(join, List.of(new MessageId("a"), new MessageId("a")));

    assertThat(joins().steps(join)).hasSize(1);
    assertThat(stored(join)).isEqualTo(before);
  }

  @Test
  @Spec({"JOIN-012", "JOINU-01"})
  default void attachingToAnUnknownJoinOrAnUnknownMessageIsRefused() {
    MessageId message = enqueue("a");
    JoinIdentifier join = joins().startJoin(null, 1, null);

    assertThatThrownBy(() -> joins().attach(new JoinIdentifier("nowhere"), message))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("join nowhere does not exist");
    assertThatThrownBy(() -> joins().attachAll(join, List.of(message, new MessageId("unheard-of"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("message unheard-of does not exist");
    assertThat(joins().steps(join)).isEmpty();
    complete("a");
    assertThatThrownBy(() -> joins().attach(new JoinIdentifier("nowhere"), message))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("join nowhere does not exist");
    assertThatThrownBy(() -> new JoinIdentifier("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MessageId("")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Spec({"JOIN-020", "JOIN-022", "JOIN-043", "OBX-079", "OBX-080"})
  default void aStepReportedAsCompletedCountsOnce() {
    JoinIdentifier join = joinOf(2, "a", "b");
    Join before = stored(join);
    advance(Duration.ofSeconds(10));

    joins().reportStepCompleted(join, new MessageId("a"));
    Join after = stored(join);
    joins().reportStepCompleted(join, new MessageId("a"));

    assertThat(step(join, "a")).isEqualTo(StepStatus.COMPLETED);
    assertCounts(join, 1, 0, JoinStatus.PENDING);
    assertThat(after.lastUpdatedAt()).isAfter(before.lastUpdatedAt().plusSeconds(5));
    assertThat(stored(join)).isEqualTo(after);
  }

  @Test
  @Spec({"JOIN-021", "JOIN-022", "JOIN-043", "OBX-081", "OBX-082"})
  default void aStepReportedAsFailedCountsOnce() {
    JoinIdentifier join = joinOf(2, "a", "b");
    Join before = stored(join);
    advance(Duration.ofSeconds(10));

    joins().reportStepFailed(join, new MessageId("a"));
    Join after = stored(join);
    joins().reportStepFailed(join, new MessageId("a"));

    assertThat(step(join, "a")).isEqualTo(StepStatus.FAILED);
    assertCounts(join, 0, 1, JoinStatus.PENDING);
    assertThat(after.lastUpdatedAt()).isAfter(before.lastUpdatedAt().plusSeconds(5));
    assertThat(stored(join)).isEqualTo(after);
  }

  @Test
  @Spec({"JOIN-020", "JOIN-080"})
  default void aReportIsForOneStepOfOneJoin() {
    JoinIdentifier join = joinOf(2, "a", "b");
    JoinIdentifier other = joins().startJoin(null, 2, null);
    joins().attach(other, new MessageId("a"));

    joins().reportStepCompleted(join, new MessageId("a"));

    assertThat(step(join, "a")).isEqualTo(StepStatus.COMPLETED);
    assertThat(step(join, "b")).isEqualTo(StepStatus.PENDING);
    assertThat(step(other, "a")).isEqualTo(StepStatus.PENDING);
    assertCounts(other, 0, 0, JoinStatus.PENDING);
    assertThat(joins().missingSteps(join)).hasSize(1);
    List<JoinStep> completed =
        call(connection -> joinStore().steps(connection, join, StepStatus.COMPLETED));
    assertThat(completed).hasSize(1);
  }

  @Test
  default void theStepsOfAJoinComeInTheOrderOfTheirMessages() {
    JoinIdentifier join = joinOf(4, "c", "a", "d", "b");

    assertThat(joins().steps(join))
        .extracting(step -> step.messageId().value())
        .containsExactly("a", "b", "c", "d");
  }

  @Test
  @Spec("JOINU-01")
  default void reportingWhatIsNoStepIsRefused() {
    JoinIdentifier join = joinOf(1, "a");
    MessageId stranger = enqueue("stranger");

    assertThatThrownBy(() -> joins().reportStepCompleted(join, stranger))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("message stranger is no step of join " + join);
    assertThatThrownBy(() -> joins().reportStepFailed(new JoinIdentifier("nowhere"), stranger))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("join nowhere does not exist");
  }

  @Test
  @Spec("JOINU-01")
  @SuppressWarnings("NullAway")
  default void everyCallNeedsItsJoinAndItsMessage() {
    JoinIdentifier join = joinOf(1, "a");
    MessageId message = new MessageId("a");
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> joins().attach(null, message),
            () -> joins().attach(join, null),
            () -> joins().reportStepCompleted(null, message),
            () -> joins().reportStepCompleted(join, null),
            () -> joins().reportStepFailed(null, message),
            () -> joins().reportStepFailed(join, null))) {
      assertThatThrownBy(call)
          .isInstanceOf(NullPointerException.class)
          .message()
          .isIn("join", "message");
    }
    assertCounts(join, 0, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec("JOIN-024")
  default void aReportIsOneTransaction() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    try (Connection connection = beginTransaction()) {
      joins().in(connection).reportStepCompleted(join, new MessageId("a"));
      assertThat(joins().in(connection).find(join).orElseThrow().status())
          .isEqualTo(JoinStatus.COMPLETED);
      connection.rollback();
    }
    assertThat(step(join, "a")).isEqualTo(StepStatus.PENDING);
    assertCounts(join, 0, 0, JoinStatus.PENDING);
  }

  @Test
  default void allOfItIsPartOfTheCallersTransaction() throws SQLException {
    JoinIdentifier join;
    MessageId message = enqueue("a");
    try (Connection connection = beginTransaction()) {
      join = joins().in(connection).startJoin("rolled-back", 1, null);
      joins().in(connection).attach(join, message);
      joins().in(connection).enqueueJoinWait(join, true, "next", "", null, null);
      assertThat(joins().in(connection).missingSteps(join)).hasSize(1);
      connection.rollback();
    }
    assertThat(joins().find(join)).isEmpty();
    assertThat(joins().findByGroupingKey("rolled-back")).isEmpty();
    assertThat(joins().steps(join)).isEmpty();
    assertThat(claimDue(joins().waitHandler().topic())).isEmpty();
  }

  @Test
  @Spec("JOIN-082")
  default void joinsOfOneInstantAreFoundByIdAndNoMoreThanAsked() {
    stopAt(now().truncatedTo(ChronoUnit.MICROS));
    List<JoinIdentifier> ids =
        IntStream.range(0, 4)
            .mapToObj(i -> joins().startJoin("workflow", 1, null))
            .sorted(Comparator.comparing(JoinIdentifier::value).reversed())
            .toList();

    List<Join> found = call(connection -> joinStore().findByGroupingKey(connection, "workflow", 3));

    assertThat(found).extracting(Join::id).containsExactlyElementsOf(ids.subList(0, 3));
  }

  @Test
  @Spec("JOIN-082")
  default void joinsAreFoundByTheirGroupingKeyNewestFirst() {
    JoinIdentifier first = joins().startJoin("workflow", 1, null);
    advance(Duration.ofSeconds(1));
    JoinIdentifier second = joins().startJoin("workflow", 1, null);
    joins().startJoin("Workflow", 1, null);
    stopAt(now().minusSeconds(60));
    JoinIdentifier oldest = joins().startJoin("workflow", 1, null);

    assertThat(joins().findByGroupingKey("workflow"))
        .extracting(Join::id)
        .containsExactly(second, first, oldest);
  }
}
