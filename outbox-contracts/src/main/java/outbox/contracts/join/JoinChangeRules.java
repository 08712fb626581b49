package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;

/** What each call that changes a join leaves behind, and that an ended join changes no more. */
interface JoinChangeRules extends JoinsUnderTest {
  int MORE_THAN_END = 20;

  @Test
  @Spec({"JOIN-040", "JOIN-041", "JOIN-043"})
  default void whateverEndsAJoinMovesItsLastUpdate() throws SQLException {
    assertMoves(1);
  }

  @Test
  @Spec({"JOIN-040", "JOIN-043"})
  default void whateverCountsAStepMovesTheLastUpdate() throws SQLException {
    assertMoves(2);
  }

  private void assertMoves(int expectedSteps) throws SQLException {
    Map<JoinChange, JoinIdentifier> all = new EnumMap<>(JoinChange.class);
    for (JoinChange change : JoinChange.values()) {
      JoinIdentifier join = change.start(this, expectedSteps);
      change.prepare(this, join, change.name());
      all.put(change, join);
    }
    advance(JoinChange.DEADLINE.plusSeconds(5));
    for (Map.Entry<JoinChange, JoinIdentifier> each : all.entrySet()) {
      JoinChange change = each.getKey();
      Join was = stored(each.getValue());
      assertThat(was.status()).as("%s", change).isEqualTo(JoinStatus.PENDING);
      Instant called = now();

      change.apply(this, each.getValue(), change.name());

      Join is = stored(each.getValue());
      boolean ended = expectedSteps == 1 || !change.isStep();
      assertThat(is.status()).as("%s", change).isEqualTo(ended ? change.end : JoinStatus.PENDING);
      assertThat(is.completedSteps() + is.failedSteps())
          .as("%s", change)
          .isEqualTo(change.isStep() ? 1 : 0);
      assertThat(is.lastUpdatedAt()).as("%s", change).isBetween(called, now());
      assertThat(is.createdAt()).as("%s", change).isEqualTo(was.createdAt());
    }
  }

  @Test
  @Spec({"JOIN-023", "JOIN-042"})
  default void whateverHasEndedAJoinNothingChangesItAnyMore() throws SQLException {
    Map<JoinChange, JoinIdentifier> all = new EnumMap<>(JoinChange.class);
    for (JoinChange end : JoinChange.values()) {
      JoinIdentifier join = end.start(this, end.isStep() ? 1 : MORE_THAN_END);
      end.prepare(this, join, end.name());
      for (JoinChange later : JoinChange.values()) {
        later.prepare(this, join, end + "-" + later);
      }
      all.put(end, join);
    }
    advance(JoinChange.DEADLINE.plusSeconds(5));
    for (Map.Entry<JoinChange, JoinIdentifier> each : all.entrySet()) {
      JoinChange end = each.getKey();
      JoinIdentifier join = each.getValue();
      end.apply(this, join, end.name());
      Join ended = stored(join);
      assertThat(ended.status()).as("%s", end).isEqualTo(end.end);

      for (JoinChange later : JoinChange.values()) {
        later.apply(this, join, end + "-" + later);

        assertThat(stored(join)).as("%s after %s", later, end).isEqualTo(ended);
        if (later.isStep()) {
          assertThat(step(join, end + "-" + later))
              .as("%s after %s", later, end)
              .isEqualTo(later.stepEnd());
        }
      }
    }
  }
}
