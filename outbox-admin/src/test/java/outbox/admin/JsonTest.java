package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.json.JsonObject;
import outbox.admin.json.JsonWriter;
import outbox.admin.metrics.Count;

class JsonTest {

  @Test
  void readsWhatItWrites() {
    String text = "a\"\\/\b\f\n\r\t\u0000\u001f<script>&'\u2028ü\ud83d\ude00";
    JsonObject object =
        new JsonObject()
            .put("text", text)
            .put("list", Arrays.asList(1, true, null, 2.5))
            .put("object", Map.of("x", List.of()));

    assertThat(JsonReader.read(JsonWriter.write(object)))
        .isEqualTo(
            Map.of(
                "text",
                text,
                "list",
                Arrays.asList(new BigDecimal(1), true, null, new BigDecimal("2.5")),
                "object",
                Map.of("x", List.of())));
  }

  @Test
  void writesNothingThatHtmlUnderstands() {
    assertThat(JsonWriter.write("</script><!--&'\u2029"))
        .isEqualTo("\"\\u003C/script\\u003E\\u003C!--\\u0026\\u0027\\u2029\"");
  }

  @Test
  void writesInstantsCountsAndNoNumberThatIsNone() {
    assertThat(
            JsonWriter.write(
                Arrays.asList(Instant.EPOCH, Role.READ, new Count(7, true), Double.NaN)))
        .isEqualTo("[\"1970-01-01T00:00:00Z\",\"READ\",{\"value\":7,\"atLeast\":true},null]");
  }

  @Test
  void writesNothingThatATerminalObeys() {
    assertThat(JsonWriter.write("\u001b[2J\u007f\u009b2J"))
        .isEqualTo("\"\\u001B[2J\\u007F\\u009B2J\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[1",
        "\"x",
        "tru",
        "nul",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1,}",
        "[1,]",
        "01x",
        "1 2",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "--1",
        "+",
        "[[[[[[[[[1]]]]]]]]]",
        "11111111111111111111111111111111111111111",
        "{\"a\":1,\"a\":2}"
      })
  void refusesWhatIsNoJsonWithoutQuotingIt(String text) {
    assertThatThrownBy(() -> JsonReader.read(text))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(400))
        .hasMessageMatching(
            "The body is no JSON that is understood here, from character \\d+ on: .*");
  }
}
