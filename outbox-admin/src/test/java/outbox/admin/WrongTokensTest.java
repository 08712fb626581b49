package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.testing.SettableClock;

class WrongTokensTest {
  private final SettableClock clock = new SettableClock();
  private final WrongTokens wrong = new WrongTokens(clock);

  @Test
  void anAddressIsJudgedAgainWhenTheWindowHasEnded() {
    wrongFrom("10.0.0.1", WrongTokens.PER_ADDRESS);
    assertRefused("10.0.0.1");
    clock.advance(WrongTokens.WINDOW);

    assertJudged("10.0.0.1", "alan");
  }

  @Test
  void aRefusalSaysWhenTheWindowEnds() {
    wrongFrom("10.0.0.1", WrongTokens.PER_ADDRESS);
    assertThat(refusal("10.0.0.1").retryAfterSeconds()).isEqualTo(60);
    clock.advance(WrongTokens.WINDOW.minusMillis(1001));
    assertThat(refusal("10.0.0.1").retryAfterSeconds()).isEqualTo(2);
    clock.advance(Duration.ofMillis(1));
    assertThat(refusal("10.0.0.1").retryAfterSeconds()).isEqualTo(1);
    clock.advance(Duration.ofMillis(999));
    assertThat(refusal("10.0.0.1").retryAfterSeconds()).isEqualTo(1);
  }

  @Test
  void theNextWindowCountsFromItsOwnBeginning() {
    wrongFrom("10.0.0.1", 1);
    clock.advance(WrongTokens.WINDOW.multipliedBy(3).dividedBy(2));
    wrongFrom("10.0.0.1", WrongTokens.PER_ADDRESS);
    clock.advance(WrongTokens.WINDOW.minusMillis(1));

    assertRefused("10.0.0.1");
  }

  @Test
  void whatWasWrongInAllIsForgottenWithTheWindow() {
    for (int i = 0; i < WrongTokens.IN_ALL; i++) {
      wrongFrom("10.0.0." + i, 1);
    }
    clock.advance(WrongTokens.WINDOW);

    wrongFrom("10.0.0.1", WrongTokens.PER_ADDRESS);
    assertRefused("10.0.0.1");
  }

  @Test
  void oneWrongTokenFewerThanInAllLeavesEachItsTries() {
    for (int i = 1; i < WrongTokens.IN_ALL; i++) {
      wrongFrom("10.0.0." + i, 1);
    }

    wrongFrom("10.0.0.1", 1);
    assertRefused("10.0.0.1");
  }

  @Test
  void anAddressThatIsNotKnownCountsLikeOneThatIs() {
    wrong.judge(null, null);
    for (int i = 1; i < WrongTokens.PER_ADDRESS; i++) {
      wrong.judge("", null);
    }

    assertRefused("");
  }

  @Test
  void manyAddressesTogetherMayBeWrongOnceEach() {
    for (int i = 0; i < WrongTokens.IN_ALL; i++) {
      wrongFrom("10.0.0." + i, 1);
    }

    assertRefused("10.0.0.7");
    assertJudged("10.0.1.1", "alan");
    wrongFrom("10.0.1.2", 1);
    assertRefused("10.0.1.2");
  }

  @Test
  void aTokenThatWasRightFromThereStaysRight() {
    assertJudged("10.0.0.1", "alan");
    wrongFrom("10.0.0.1", WrongTokens.PER_ADDRESS);

    assertJudged("10.0.0.1", "alan");
    assertRefused("10.0.0.1");
  }

  @Test
  void anAddressOfVersionSixCountsByItsNetwork() {
    for (int i = 0; i < WrongTokens.PER_ADDRESS; i++) {
      wrongFrom("2001:db8:1:2:3:4:5:" + i, 1);
    }

    assertRefused("2001:db8:1:2:9:9:9:9");
    assertJudged("2001:db8:1:3:9:9:9:9", "alan");
  }

  @Test
  void aShortenedAddressOfVersionSixCountsByItsNetworkToo() {
    for (int i = 0; i < WrongTokens.PER_ADDRESS; i++) {
      wrongFrom("2001:db8::" + i, 1);
    }

    assertRefused("2001:db8:0:0:9:9:9:9");
    assertJudged("2001:db8:0:1::9", "alan");
  }

  @Test
  void remembersABoundedNumberOfAddresses() {
    for (int i = 0; i < WrongTokens.MAX_ADDRESSES + 10; i++) {
      wrongFrom("host-" + i, 1);
    }

    assertThat(wrong.size()).isEqualTo(WrongTokens.MAX_ADDRESSES);
  }

  private void wrongFrom(String address, int times) {
    for (int i = 0; i < times; i++) {
      wrong.judge(address, null);
    }
  }

  private void assertJudged(String address, String owner) {
    assertThatCode(() -> wrong.judge(address, owner)).doesNotThrowAnyException();
  }

  private void assertRefused(String address) {
    Problem problem = refusal(address);

    assertThat(problem.status()).isEqualTo(429);
    assertThat(problem.retryAfterSeconds()).isBetween(1L, 60L);
  }

  private Problem refusal(String address) {
    return catchThrowableOfType(Problem.class, () -> wrong.judge(address, "rita"));
  }
}
