package outbox.spring.demo;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PaymentProviderTest {
  private final PaymentProvider provider = new PaymentProvider();

  @Test
  void repairHealsTheOrdersThatHaveFailed() {
    assertThatThrownBy(() -> charge("a", "broken")).hasMessageContaining("does not answer");

    provider.repair();

    assertThatCode(() -> charge("a", "broken")).doesNotThrowAnyException();
  }

  /** So that the tour shows the same when it is taken again. */
  @Test
  void nextBrokenOrderFailsAgain() {
    provider.repair();

    assertThatThrownBy(() -> charge("b", "broken")).hasMessageContaining("does not answer");
  }

  @Test
  void flakyOrderFailsTwice() {
    assertThatThrownBy(() -> charge("c", "flaky")).hasMessageContaining("does not answer");
    assertThatThrownBy(() -> charge("c", "flaky")).hasMessageContaining("does not answer");
    assertThatCode(() -> charge("c", "flaky")).doesNotThrowAnyException();
  }

  private void charge(String order, String item) {
    provider.charge(new OrderPlaced(order, item, 1));
  }
}
