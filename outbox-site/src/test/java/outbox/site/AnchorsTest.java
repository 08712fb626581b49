package outbox.site;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnchorsTest {
  private final Anchors anchors = new Anchors();

  @Test
  void keepsLettersDigitsHyphensAndUnderscores() {
    assertThat(anchors.next("Does it keep the order of events?"))
        .isEqualTo("does-it-keep-the-order-of-events");
    assertThat(anchors.next("max_attempts: 1.5 – a write-behind"))
        .isEqualTo("max_attempts-15--a-write-behind");
    assertThat(anchors.next("Größe")).isEqualTo("größe");
  }

  @Test
  void numbersRepeatedHeadings() {
    assertThat(anchors.next("Retry")).isEqualTo("retry");
    assertThat(anchors.next("Retry")).isEqualTo("retry-1");
    assertThat(anchors.next("Retry")).isEqualTo("retry-2");
  }
}
