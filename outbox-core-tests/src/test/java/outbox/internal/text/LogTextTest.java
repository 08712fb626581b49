package outbox.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogTextTest {

  @Test
  void leavesTextAsItIs() {
    String text = "order-7 öß 😀 \\ \"'";
    assertThat(LogText.of(text)).isSameAs(text);
  }

  @Test
  void writesWhatEndsOrHidesALineAsEscapes() {
    assertThat(LogText.of("a\r\nb\tc\0d" + (char) 27))
        .isEqualTo("a\\u000d\\u000ab\\u0009c\\u0000d\\u001b");
    assertThat(LogText.of("a" + (char) 0x85 + "b")).isEqualTo("a\\u0085b");
    assertThat(LogText.of("a" + (char) 0x2028 + "b" + (char) 0x2029)).isEqualTo("a\\u2028b\\u2029");
  }
}
