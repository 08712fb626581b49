package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Dice;
import outbox.contracts.support.Spec;

@Timeout(120)
@Spec("FRM-16")
class JsonCodecFuzzTest {
  private static final int RUNS = 5_000;

  /** A JSON object of strings as RFC 8259 has it. */
  private static final Pattern GRAMMAR =
      Pattern.compile(
          "_\\{_(?:S_:_S(?:_,_S_:_S)*_)?}_"
              .replace("S", "\"(?:[^\"\\\\\\x00-\\x1f]|\\\\(?:[\"\\\\/bfnrt]|u[0-9A-Fa-f]{4}))*\"")
              .replace("_", "[ \\t\\n\\r]*"),
          Pattern.DOTALL);

  private static final List<String> PIECES =
      List.of(
          "{", "}", "{\"", "\"}", "\":\"", "\",\"", "\"", ":", ",", "a", " ", "\n", "\u000b", "\\",
          "\\\"", "\\\\", "\\n", "\\x", "\\u", "\\u00e9", "\\ud83d", "00", "4F", "\u0660", "\uff11",
          "null", "[", "1", "\0", "\ud83d", "😀");

  @Test
  void whateverIsEncodedDecodesToTheSame() {
    Dice.check(
        RUNS,
        dice -> {
          Map<String, String> object = new LinkedHashMap<>();
          dice.some(5, () -> object.put(dice.text(5), dice.text(20)));

          String json = JsonCodec.toJson(object);

          assertThat(GRAMMAR.matcher(json).matches()).as(json).isTrue();
          assertThat(List.copyOf(JsonCodec.parseObject(json).entrySet()))
              .isEqualTo(List.copyOf(object.entrySet()));
        });
  }

  @Test
  void anyTextIsReadIfAndOnlyIfItIsAnObjectOfStrings() {
    Dice.check(
        RUNS,
        dice -> {
          String json = dice.isOneIn(2) ? dice.text(12, PIECES) : damaged(dice);

          if (GRAMMAR.matcher(json).matches()) {
            Map<String, String> object = JsonCodec.parseObject(json);
            assertThat(JsonCodec.parseObject(JsonCodec.toJson(object))).isEqualTo(object);
          } else {
            assertRefused(json);
          }
        });
  }

  /** An object of strings in which something is missing, too much or in the wrong place. */
  private static String damaged(Dice dice) {
    StringBuilder json = new StringBuilder("{\"k\" : \"\\u00e9\\n\", \"l\":\"é\" }");
    for (int changes = dice.number(3); changes > 0; changes--) {
      int from = dice.number(json.length());
      json.replace(from, from + dice.number(2), dice.isOneIn(3) ? "" : dice.one(PIECES));
    }
    return json.toString();
  }

  private static void assertRefused(String json) {
    Throwable thrown = catchThrowable(() -> JsonCodec.parseObject(json));
    assertThat(thrown)
        .as(json)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("malformed JSON object of strings: expected .{1,30} at position \\d+");
    String said = String.valueOf(thrown.getMessage());
    assertThat(Integer.parseInt(said.substring(said.lastIndexOf(' ') + 1)))
        .isBetween(0, json.length());
  }

  @Test
  void deepNestingIsRefusedAtItsFirstLevelAndLongTextIsRead() {
    assertThatThrownBy(() -> JsonCodec.parseObject("{\"a\":".repeat(1_000_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("position 5");
    String large = "\\\"".repeat(1_000_000);
    assertThat(JsonCodec.parseObject("{\"a\":\"" + large + "\"}").get("a")).hasSize(1_000_000);
  }
}
