package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.HandlerResult;
import outbox.contracts.support.Spec;
import outbox.join.JoinHousekeeping;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** Joins that end by something else than their steps, and what becomes of ended ones. */
interface JoinEndRules extends JoinsUnderTest {

  @Test
  @Spec("JOINU-03")
  default void aCancelledJoinStaysCancelled() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    MessageId waiting = waitFor(join);
    complete("a");

    assertThat(joins().cancelJoin(join)).isTrue();
    assertThat(joins().cancelJoin(join)).isFalse();
    Join cancelled = stored(join);
    complete("b");

    assertThat(stored(join)).isEqualTo(cancelled);
    assertCounts(join, 1, 0, JoinStatus.CANCELLED);
    assertThat(step(join, "b")).isEqualTo(StepStatus.COMPLETED);
    deliver(waiting);
    assertThat(claimDue("went-wrong")).hasSize(1);
  }

  @Test
  @Spec("JOIN-042")
  default void anEndedJoinCannotBeCancelledAndNeverChanges() {
    JoinIdentifier join = joinOf(1, "a");
    complete("a");
    Join ended = stored(join);
    advance(Duration.ofHours(1));

    assertThat(joins().cancelJoin(join)).isFalse();
    joins().attach(join, enqueue("late"));
    kill("late");
    joins().reportStepFailed(join, new MessageId("late"));

    assertThat(stored(join)).isEqualTo(ended);
    assertThatThrownBy(() -> joins().cancelJoin(new JoinIdentifier("nowhere")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void pastItsDeadlineAJoinFailsAndItsWaitGoesOn() throws SQLException {
    JoinIdentifier join = joins().startJoin(null, 2, null, Duration.ofSeconds(90));
    joins().attach(join, enqueue("a"));
    MessageId waiting = joins().enqueueJoinWait(join, false, "next", "{}", "too-late", "{}");
    complete("a");

    assertThat(deliver(waiting)).isEqualTo(HandlerResult.deferred(Duration.ofSeconds(60)));
    advance(Duration.ofSeconds(61));
    HandlerResult second = deliver(waiting);
    assertThat(second).isInstanceOf(HandlerResult.Deferred.class);
    assertThat(((HandlerResult.Deferred) second).delay()).isLessThan(Duration.ofSeconds(30));
    advance(Duration.ofSeconds(30));
    assertThat(deliver(waiting)).isEqualTo(HandlerResult.done());

    assertCounts(join, 1, 0, JoinStatus.FAILED);
    assertThat(claimDue("too-late")).hasSize(1);
    assertThatThrownBy(() -> joins().startJoin(null, 1, null, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("deadline (PT0S)");
  }

  @Test
  default void housekeepingFailsOverdueJoinsThatNothingWaitsFor() {
    JoinIdentifier overdue = joins().startJoin(null, 1, null, Duration.ofSeconds(10));
    JoinIdentifier later = joins().startJoin(null, 1, null, Duration.ofHours(1));
    JoinIdentifier never = joins().startJoin(null, 1, null);
    advance(Duration.ofSeconds(11));

    housekeeping(null).finish();

    assertCounts(overdue, 0, 0, JoinStatus.FAILED);
    assertCounts(later, 0, 0, JoinStatus.PENDING);
    assertCounts(never, 0, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec("JOINU-06")
  default void onlyOldEndedJoinsArePurgedAndOnlyIfAskedFor() {
    JoinIdentifier ended = joinOf(1, "a");
    JoinIdentifier cancelled = joinOf(1, "b");
    JoinIdentifier failed = joinOf(1, "f");
    JoinIdentifier overdue = joins().startJoin(null, 1, null, Duration.ofSeconds(1));
    JoinIdentifier pending = joinOf(2, "c", "d");
    complete("a", "c");
    kill("f");
    joins().cancelJoin(cancelled);
    advance(Duration.ofSeconds(2));
    housekeeping(null).finish();
    advance(Duration.ofDays(2));
    JoinIdentifier recent = joinOf(1, "e");
    complete("e");

    housekeeping(null).finish();
    assertThat(joins().find(ended)).isPresent();
    housekeeping(Duration.ofDays(1)).finish();

    assertThat(joins().find(ended)).isEmpty();
    assertThat(joins().steps(ended)).isEmpty();
    assertThat(joins().find(cancelled)).isEmpty();
    assertThat(joins().find(failed)).isEmpty();
    assertThat(joins().find(overdue)).isEmpty();
    assertThat(joins().find(recent)).isPresent();
    assertThat(stored(pending).completedSteps()).isEqualTo(1);
    assertThat(row("a")).isPresent();
  }

  @Test
  @Spec("JOINU-06")
  default void aJoinThatIsStillWaitedForIsNotPurged() throws SQLException {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    waitFor(joinOf(1, "step of another"));
    complete("a");
    advance(Duration.ofDays(2));

    housekeeping(Duration.ofDays(1)).finish();
    assertThat(joins().find(join)).isPresent();
    claim(waiting.value());
    call(connection -> events().abandon(connection, ME, failures(List.of(waiting.value()))));
    housekeeping(Duration.ofDays(1)).finish();
    assertThat(joins().find(join)).as("to be tried again").isPresent();
    deliver(waiting);
    housekeeping(Duration.ofDays(1)).finish();

    assertThat(joins().find(join)).isEmpty();
  }

  @Test
  default void aJoinThatIsStillWaitedForTakesNoPlaceInABatch() {
    for (String step : List.of("a", "b")) {
      waitFor(joinOf(1, step));
      complete(step);
    }
    JoinIdentifier old = joinOf(1, "c");
    complete("c");
    advance(Duration.ofSeconds(60));

    assertThat(purged(1)).isEqualTo(1);

    assertThat(joins().find(old)).isEmpty();
  }

  @Test
  default void joinsThatAreLockedAreLeftForTheNextTime() throws SQLException {
    JoinIdentifier locked = joins().startJoin(null, 1, null, Duration.ofSeconds(10));
    joins().startJoin(null, 1, null, Duration.ofSeconds(10));
    joins().startJoin(null, 1, null, Duration.ofSeconds(10));
    try (Connection other = beginTransaction()) {
      joinStore().lock(other, locked);
      advance(Duration.ofSeconds(11));

      assertThat(overdue(1)).hasSize(1);
      assertThat(overdue(10)).hasSize(1);
      other.rollback();
    }
    assertThat(overdue(10)).hasSize(1);
    advance(Duration.ofSeconds(60));
    try (Connection other = beginTransaction()) {
      joinStore().lock(other, locked);

      assertThat(purged(1)).isEqualTo(1);
      assertThat(purged(10)).isEqualTo(1);
      other.rollback();
    }
    assertThat(purged(10)).isEqualTo(1);
  }

  private List<Join> overdue(int limit) {
    return call(connection -> joinStore().failOverdue(connection, limit)).ended();
  }

  private int purged(int limit) {
    return call(connection -> joinStore().purge(connection, Duration.ofSeconds(30), limit));
  }

  @Test
  default void manyAreDealtWithInBatches() {
    List<JoinIdentifier> many =
        IntStream.range(0, 450)
            .mapToObj(i -> joins().startJoin("many", 1, null, Duration.ofSeconds(1)))
            .toList();
    advance(Duration.ofSeconds(5));

    housekeeping(Duration.ZERO).finish();

    assertThat(many).hasSize(450);
    assertThat(joins().findByGroupingKey("many")).isEmpty();
  }

  @Test
  default void joinsOfManyStepsArePurgedAFewAtATime() {
    for (int i = 0; i < 4; i++) {
      joins().cancelJoin(joins().startJoin("large", 4_000, null));
    }
    advance(Duration.ofSeconds(5));

    int first = call(connection -> joinStore().purge(connection, Duration.ZERO, 100));
    assertThat(first).isPositive();
    assertThat(joins().findByGroupingKey("large")).hasSize(4 - first);
    housekeeping(Duration.ZERO).finish();

    assertThat(joins().findByGroupingKey("large")).isEmpty();
  }

  private JoinHousekeeping housekeeping(@Nullable Duration retention) {
    return new JoinHousekeeping(this::open, tracker(), retention);
  }
}
