package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.admin.json.JsonWriter;
import outbox.contracts.support.Dice;

@Timeout(120)
class JsonReaderFuzzTest {
  private static final int RUNS = 1_500;
  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ":",
          ",",
          "\"",
          "\"a\"",
          "\"a\":",
          "\\",
          "\\u",
          "\\ud83d",
          "00e9",
          "null",
          "true",
          "false",
          "-",
          "0",
          "17",
          "1.5",
          "1e9",
          "1e999999999",
          "1e-999999999",
          "1e99999999999",
          "9".repeat(45),
          "NaN",
          "//",
          "/*",
          " ",
          "\n",
          "\0",
          "\ufeff",
          "é",
          "😀",
          "\ud83d",
          "'",
          "[".repeat(50));

  @Test
  void anyTextIsReadOrRefusedByItsPosition() {
    Dice.check(
        RUNS,
        dice -> {
          String json = dice.text(12, PIECES);

          Throwable thrown = catchThrowable(() -> JsonWriter.write(JsonReader.read(json)));

          if (thrown != null) {
            assertThat(thrown).as(json).isInstanceOf(Problem.class).hasMessageMatching("[ -~]+");
            assertThat(((Problem) thrown).status()).isEqualTo(400);
          }
        });
  }
}
