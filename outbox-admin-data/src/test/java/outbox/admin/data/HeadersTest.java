package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTest {

  @Test
  void simpleValuesAreShownAsText() {
    assertThat(Headers.read("{\"a\":\"x\",\"n\":1.50,\"t\":true,\"z\":null}"))
        .isEqualTo(Map.of("a", "x", "n", "1.50", "t", "true", "z", "null"));
  }

  @Test
  void whatIsNestedIsNotShown() {
    assertThat(Headers.read("{\"a\":{\"token\":\"secret\"},\"b\":[\"secret\"],\"c\":\"x\"}"))
        .isEqualTo(Map.of("a", Headers.UNREADABLE, "b", Headers.UNREADABLE, "c", "x"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "token=secret",
        "\"secret\"",
        "[\"secret\"]",
        "{\"token\":\"secret\"",
        "{\"token\":\"secret\"} x",
        "{token:'secret'}"
      })
  void whatIsNoObjectIsShownWithoutItsContent(String json) {
    assertThat(Headers.read(json)).containsOnlyKeys(Headers.UNREADABLE);
    assertThat(Headers.read(json).toString()).doesNotContain("secret");
  }

  @Test
  void noneAreNone() {
    assertThat(Headers.read(null)).isEmpty();
    assertThat(Headers.read("{}")).isEmpty();
  }
}
