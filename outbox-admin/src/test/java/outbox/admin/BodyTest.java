package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a body may be, and how much of it is read. */
class BodyTest {
  private static final int MEGABYTE = 1024 * 1024;

  @Test
  void isTakenUpToItsLargestSize() {
    Body body = new Body();
    byte[] half = new byte[Body.MAX_BYTES / 2];
    half[half.length - 1] = 7;
    body.add(half, half.length);
    body.add(new byte[8], -1);
    body.add(half, half.length);

    assertThat(body.complete()).hasSize(Body.MAX_BYTES).endsWith(7);

    body.add(half, 1);
    assertRefused(413, body::complete);
  }

  @Test
  void whatIsTooLargeIsReadOnSoThatItsSenderGetsTheAnswerButNotForEver() {
    Body body = new Body();
    byte[] megabyte = new byte[MEGABYTE];
    for (int i = 0; i < 16; i++) {
      body.add(megabyte, megabyte.length);
    }

    assertRefused(413, () -> body.add(megabyte, 1));
  }

  @Test
  void withoutContentThereAreNoFieldsWhateverItsType() {
    assertThat(Body.parsed(new byte[0], null).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "Application/JSON", "application/json;charset=utf-8"})
  void isJson(String contentType) {
    assertThat(parsed("{\"a\":\"ü\"}", contentType).text("a")).isEqualTo("ü");
  }

  @ParameterizedTest
  @CsvSource({"text/plain", "application/jsonp", "application/json-patch+json", "''", ","})
  void isNothingElse(String contentType) {
    assertRefused(415, () -> Body.parsed("{}".getBytes(UTF_8), contentType));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "null", "\"a\"", "{"})
  void isAnObject(String text) {
    assertRefused(400, () -> parsed(text, "application/json"));
  }

  @Test
  void isValidText() {
    byte[] invalid = {'{', (byte) 0xff, '}'};

    assertRefused(400, () -> Body.parsed(invalid, "application/json"));
  }

  private static Arguments parsed(String text, String contentType) {
    return Body.parsed(text.getBytes(UTF_8), contentType);
  }

  private static void assertRefused(int status, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(status));
  }
}
