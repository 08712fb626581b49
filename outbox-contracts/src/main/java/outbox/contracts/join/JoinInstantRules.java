package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.model.Join;
import outbox.model.JoinIdentifier;

/** What holds at the very instant of a deadline and of an age. */
interface JoinInstantRules extends JoinsUnderTest {
  Duration TICK = Duration.of(1, ChronoUnit.MICROS);

  @Test
  default void aJoinIsOverdueFromTheInstantOfItsDeadline() {
    Instant start = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(start);
    JoinIdentifier join = joins().startJoin(null, 1, null, Duration.ofSeconds(10));
    assertThat(stored(join).deadline()).isEqualTo(start.plusSeconds(10));

    stopAt(start.plusSeconds(10).minus(TICK));
    assertThat(overdue()).isEmpty();

    stopAt(start.plusSeconds(10));
    assertThat(overdue()).extracting(Join::id).containsExactly(join);
  }

  private List<Join> overdue() {
    return call(connection -> joinStore().failOverdue(connection, 10)).ended();
  }

  @Test
  @Spec("JOINU-06")
  default void anEndedJoinIsPurgedFromTheInstantOfItsAge() {
    JoinIdentifier join = joinOf(1, "a");
    Instant end = now().truncatedTo(ChronoUnit.MICROS);
    stopAt(end);
    complete("a");
    assertThat(stored(join).lastUpdatedAt()).isEqualTo(end);

    stopAt(end.plusSeconds(60).minus(TICK));
    assertThat(purged()).isZero();

    stopAt(end.plusSeconds(60));
    assertThat(purged()).isEqualTo(1);
  }

  private int purged() {
    return call(connection -> joinStore().purge(connection, Duration.ofSeconds(60), 10));
  }
}
