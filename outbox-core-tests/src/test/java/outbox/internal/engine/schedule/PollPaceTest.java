package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;

class PollPaceTest {
  private final PollPace pace = new PollPace(Duration.ofSeconds(5));

  @Test
  @Spec({"OBX-116", "OBXU-05", "IBX-124", "IBXU-09", "FRM-64"})
  void idleDatabaseIsLookedIntoEverMoreRarelyUpToTheLimit() {
    assertBetween(pace.next(false), 850, 950);
    assertBetween(pace.next(false), 1700, 1900);
    assertBetween(pace.next(false), 3400, 3800);
    assertBetween(pace.next(false), 4250, 4750);
    assertBetween(pace.next(false), 4250, 4750);
  }

  @Test
  @Spec("IBXU-09")
  void oneThatHadSomethingIsLookedIntoSoonAgain() {
    pace.next(false);
    pace.next(false);

    assertBetween(pace.next(true), 425, 475);
  }

  @Test
  void whatWasToldOfMakesItNoMoreOftenLookedInto() {
    pace.next(false);
    pace.next(false);
    pace.ask();
    pace.begin();

    assertBetween(pace.next(true), 1700, 1900);
    assertBetween(pace.next(false), 3400, 3800);
  }

  @Test
  void whatIsFoundAfterWhatWasToldOfIsAFindAgain() {
    pace.next(false);
    pace.ask();
    pace.begin();
    pace.next(true);
    pace.begin();

    assertBetween(pace.next(true), 425, 475);
  }

  @Test
  void oneInWhichACommitIsExpectedIsLookedIntoSoonAgain() {
    pace.next(false);
    pace.next(false);
    pace.expect();

    assertBetween(pace.next(false), 425, 475);
    assertBetween(pace.next(false), 850, 950);
  }

  @Test
  void limitBelowTheFirstPauseIsKept() {
    assertBetween(new PollPace(Duration.ofMillis(100)).next(true), 85, 95);
  }

  private static void assertBetween(Duration pause, long leastMillis, long mostMillis) {
    assertThat(pause).isBetween(Duration.ofMillis(leastMillis), Duration.ofMillis(mostMillis));
  }
}
