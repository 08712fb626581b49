package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.testing.Spec;

class PollPaceTest {
  private final PollPace pace = new PollPace(Duration.ofSeconds(5));

  @Test
  @Spec({"OBX-116", "IBX-124"})
  void idleDatabaseIsLookedIntoEverMoreRarelyUpToTheLimit() {
    assertBetween(pace.next(false), 800, 1000);
    assertBetween(pace.next(false), 1600, 2000);
    assertBetween(pace.next(false), 3200, 4000);
    assertBetween(pace.next(false), 4000, 5000);
    assertBetween(pace.next(false), 4000, 5000);
  }

  @Test
  void oneThatHadSomethingIsLookedIntoSoonAgain() {
    pace.next(false);
    pace.next(false);

    assertBetween(pace.next(true), 400, 500);
  }

  @Test
  void oneInWhichACommitIsExpectedIsLookedIntoSoonAgain() {
    pace.next(false);
    pace.next(false);
    pace.expect();

    assertBetween(pace.next(false), 400, 500);
    assertBetween(pace.next(false), 800, 1000);
  }

  @Test
  void limitBelowTheFirstPauseIsKept() {
    assertBetween(new PollPace(Duration.ofMillis(100)).next(true), 80, 100);
  }

  private static void assertBetween(Duration pause, long leastMillis, long mostMillis) {
    assertThat(pause).isBetween(Duration.ofMillis(leastMillis), Duration.ofMillis(mostMillis));
  }
}
