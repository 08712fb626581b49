package outbox.admin.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Dice;

@Timeout(120)
class CursorFuzzTest {
  private static final int RUNS = 1_500;
  private static final int PHASES = 3;
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private static final List<String> PIECES =
      List.of(
          "0",
          "1",
          "2",
          "3",
          "-1",
          "+",
          "99999999999",
          ";",
          ",",
          "a",
          "%00",
          "%zz",
          "%ff",
          "%2C",
          "%ed%a0%80",
          "2030-01-31T12:00:00Z",
          "2030-01-31T12:00:00.123456Z",
          "-999999999-01-01T00:00:00Z",
          "+999999999-12-31T23:59:59.999999999Z",
          "0000-01-01T00:00:00Z",
          "1969-12-31T23:59:59Z",
          "\0",
          "\u0660",
          "😀",
          "\ud83d");

  @Test
  void whatACursorSaysIsReadAgain() {
    Dice.check(
        RUNS,
        dice -> {
          Cursor cursor = Cursor.FIRST;
          for (int pages = dice.number(12); pages > 0; pages--) {
            cursor = cursor.next(place(dice));
          }

          assertThat(Cursor.of(cursor.toString(), PHASES)).isEqualTo(cursor);
        });
  }

  private static Place place(Dice dice) {
    Instant at = Instant.ofEpochSecond(dice.number(Integer.MAX_VALUE), dice.number(1_000_000_000));
    String id = dice.one(List.of("", "a", ";,%+ ", "é😀", "01J00000000000000000000000", "<&\"'"));
    return new Place(dice.number(PHASES), at, id);
  }

  @Test
  void anyTextIsAPlaceThatEveryDatabaseKnowsOrIsRefused() {
    Dice.check(
        RUNS,
        dice -> {
          String text = dice.isOneIn(4) ? dice.text(20) : encoded(dice);

          Throwable thrown = catchThrowable(() -> assertUsable(Cursor.of(text, PHASES)));

          if (thrown != null) {
            assertThat(thrown).as(text).isInstanceOf(InvalidQueryException.class);
          }
        });
  }

  private static String encoded(Dice dice) {
    String plain =
        dice.isOneIn(2)
            ? dice.one(PIECES) + ";" + dice.one(PIECES) + ";" + dice.one(PIECES)
            : dice.text(8, PIECES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(UTF_8));
  }

  private static void assertUsable(Cursor cursor) {
    for (Place place : cursor.trail()) {
      assertThat(place.phase()).isBetween(0, PHASES - 1);
      assertThat(place.id()).hasSizeLessThanOrEqualTo(36).doesNotContain("\0");
      if (place.at() != null) {
        assertThat(place.at()).isBetween(Instant.EPOCH, LATEST);
      }
    }
  }
}
