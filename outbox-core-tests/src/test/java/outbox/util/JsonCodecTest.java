package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.contracts.support.Spec;

@Spec("FRM-16")
class JsonCodecTest {

  @Test
  void whatIsEncodedDecodesToTheSameInTheSameOrder() {
    StringBuilder everyAsciiCharacter = new StringBuilder();
    for (char c = 1; c < 128; c++) {
      everyAsciiCharacter.append(c);
    }
    Map<String, String> object = new LinkedHashMap<>();
    object.put("z", everyAsciiCharacter.toString());
    object.put("a \"quoted\\ key\n", "äß € 漢字 😀 \u2028");
    object.put("empty", "");

    Map<String, String> decoded = JsonCodec.parseObject(JsonCodec.toJson(object));

    assertThat(List.copyOf(decoded.entrySet())).isEqualTo(List.copyOf(object.entrySet()));
  }

  @Test
  void encodesPlainJson() {
    assertThat(JsonCodec.toJson(Map.of())).isEqualTo("{}");
    assertThat(JsonCodec.toJson(Map.of("k", "a\"b\\c\n\t\r\u0001/é")))
        .isEqualTo("{\"k\":\"a\\\"b\\\\c\\n\\t\\r\\u0001/é\"}");
  }

  @Test
  void readsAnyWhiteSpaceAndEscaping() {
    String json = " \t\r\n{ \"a\" : \"\\u0041\\/\\b\\f\\ud83d\\ude00\" ,\n\"b\":\"\" } ";

    assertThat(JsonCodec.parseObject(json))
        .containsExactly(Map.entry("a", "A/\b\f😀"), Map.entry("b", ""));
    assertThat(JsonCodec.parseObject(" { } ")).isEmpty();
  }

  @Test
  void ofARepeatedKeyTheLastValueCounts() {
    assertThat(JsonCodec.parseObject("{\"a\":\"b\",\"a\":\"c\"}"))
        .containsExactly(Map.entry("a", "c"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "\"a\"",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1}",
        "{\"a\":null}",
        "{\"a\":{}}",
        "{\"a\":\"b\"",
        "{\"a\":\"b\",}",
        "{\"a\":\"b\"}x",
        "{\"a\":\"b\"}{}",
        "{a:\"b\"}",
        "{'a':'b'}",
        "{\"a\":\"b}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\u12",
        "{\"a\":\"\n\"}"
      })
  void refusesEverythingElseNamingThePositionOnly(String json) {
    assertThatThrownBy(() -> JsonCodec.parseObject(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("malformed JSON object of strings: expected ")
        .hasMessageMatching(".* at position \\d+");
  }

  @Test
  void neverQuotesTheTextInAnError() {
    assertThatThrownBy(() -> JsonCodec.parseObject("{\"secret\": hunter2}"))
        .hasMessageNotContaining("secret")
        .hasMessageNotContaining("hunter2");
  }
}
