package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.data.EventView;

/** What a request may say, to the last value that is allowed. */
class ArgumentsTest {
  private static final String LONG_NAME = "x".repeat(41);

  @Test
  void aNameThatIsNotKnownIsRefusedAndShortened() {
    assertThat(of("a", "1").only(Set.of("a", "b")).text("a")).isEqualTo("1");
    assertRefused(() -> of("c", "1").only(Set.of("a")), "c", "There is no field c here");
    assertRefused(() -> of("c", "1").only(Set.of()), "c", "known are: none");
    assertRefused(
        () -> of(LONG_NAME, "1").only(Set.of()), "x".repeat(40) + "…", "x".repeat(40) + "… here");
    assertRefused(
        () -> of(LONG_NAME.substring(1), "1").only(Set.of()), "x".repeat(40), "x".repeat(40) + " ");
  }

  @Test
  void aNameWithoutAValueIsRefusedWhereItMightLimitSomething() {
    assertThat(of("a", "1").filled().isEmpty()).isFalse();
    assertThat(new Arguments("field", Map.of()).filled().isEmpty()).isTrue();
    assertRefused(() -> of("a", "").filled(), "a", "has no value");
    assertRefused(() -> of("a", null).filled(), "a", "has no value");
  }

  @Test
  void aTextIsTakenUpToItsLongest() {
    assertThat(of("a", "x".repeat(Arguments.MAX_TEXT)).text("a")).hasSize(Arguments.MAX_TEXT);
    assertThat(of("a", "").text("a")).isNull();
    assertThat(of("a", null).text("a")).isNull();
    assertThat(of("a", "1").text("b")).isNull();
    assertRefused(() -> of("a", "x".repeat(Arguments.MAX_TEXT + 1)).text("a"), "a", "255");
    assertRefused(() -> of("a", 1).text("a"), "a", "must be a text");
    assertRefused(() -> of("a", "\0").text("a"), "a", "NUL");
  }

  @Test
  void aTextThatIsNeededIsMoreThanBlanks() {
    assertThat(of("a", " x ").requiredText("a", 3)).isEqualTo(" x ");
    assertRefused(() -> of("a", "  ").requiredText("a", 3), "a", "is missing");
    assertRefused(() -> of("a", null).requiredText("a", 3), "a", "is missing");
    assertRefused(() -> of("a", "1234").requiredText("a", 3), "a", "must not exceed 3");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1970-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "2030-01-31T12:00:00.123456Z"})
  void anInstantIsTakenOfTheYearsThatEveryDatabaseKnows(String text) {
    assertThat(of("a", text).instant("a")).isEqualTo(Instant.parse(text));
  }

  @Test
  void anInstantOfAnotherYearAndWhatIsNoneAreRefused() {
    assertThat(of("a", "2030-01-31T14:00:00+02:00").instant("a"))
        .isEqualTo(Instant.parse("2030-01-31T12:00:00Z"));
    assertThat(of("a", "").instant("a")).isNull();
    assertRefused(() -> of("a", "1969-12-31T23:59:59Z").instant("a"), "a", "1970 and 9999");
    assertRefused(() -> of("a", "9999-01-01T00:00:01Z").instant("a"), "a", "1970 and 9999");
    assertRefused(() -> of("a", "2030-01-31").instant("a"), "a", "must be an instant");
  }

  @Test
  void aNumberIsTakenFromItsLeastToItsMost() {
    assertThat(of("a", "3").number("a", 3, 5, 4)).isEqualTo(3);
    assertThat(of("a", "5").number("a", 3, 5, 4)).isEqualTo(5);
    assertThat(of("a", new BigDecimal("5.0")).number("a", 3, 5, 4)).isEqualTo(5);
    assertThat(of("a", "").number("a", 3, 5, 4)).isEqualTo(4);
    for (Object wrong :
        List.of("2", "6", "4.5", "four", "99999999999999999999", new BigDecimal("4.5"), true)) {
      assertRefused(() -> of("a", wrong).number("a", 3, 5, 4), "a", "whole number from 3 to 5");
    }
  }

  @Test
  void aDelayThatIsNeededIsTakenUpToItsLongest() {
    Duration most = Duration.ofSeconds(2);
    assertThat(of("a", BigDecimal.ZERO).requiredMillis("a", most)).isZero();
    assertThat(of("a", "2000").requiredMillis("a", most)).isEqualTo(most);
    assertRefused(() -> of("a", "2001").requiredMillis("a", most), "a", "from 0 to 2000");
    assertRefused(() -> of("a", "-1").requiredMillis("a", most), "a", "from 0 to 2000");
    assertRefused(() -> of("a", null).requiredMillis("a", most), "a", "is missing");
  }

  @Test
  void aFlagIsTrueOrFalse() {
    assertThat(of("a", true).flag("a")).isTrue();
    assertThat(of("a", "true").flag("a")).isTrue();
    assertThat(of("a", false).flag("a")).isFalse();
    assertThat(of("a", "").flag("a")).isFalse();
    assertRefused(() -> of("a", "yes").flag("a"), "a", "must be true or false");
    assertRefused(() -> of("a", BigDecimal.ONE).flag("a"), "a", "must be true or false");
  }

  @Test
  void aChoiceIsFoundInAnyCase() {
    assertThat(of("a", "Dead").oneOf("a", EventView.class, EventView.ALL))
        .isEqualTo(EventView.DEAD);
    assertThat(of("a", "").oneOf("a", EventView.class, EventView.ALL)).isEqualTo(EventView.ALL);
    assertRefused(
        () -> of("a", "deadly").oneOf("a", EventView.class, EventView.ALL),
        "a",
        "must be one of: pending, failed, processed, dead, leased, scheduled, all");
  }

  @Test
  void aListHasDifferentTextsUpToTheirMostAndAtLeastOne() {
    assertThat(of("a", List.of("x", "y", "x")).texts("a", 2, 1)).containsExactly("x", "y");
    assertRefused(() -> of("a", List.of("x", "y", "z")).texts("a", 2, 1), "a", "more than 2");
    assertRefused(() -> of("a", List.of("xy")).texts("a", 2, 1), "a", "must not exceed 1");
    assertRefused(() -> of("a", List.of()).texts("a", 2, 1), "a", "list of 1 to 2 texts");
    assertRefused(() -> of("a", "x").texts("a", 2, 1), "a", "list of 1 to 2 texts");
    for (Object wrong : Arrays.asList(null, "", BigDecimal.ONE)) {
      assertRefused(
          () -> of("a", Collections.singletonList(wrong)).texts("a", 2, 1), "a", "list of texts");
    }
  }

  @Test
  void anObjectHasArgumentsOfItsOwn() {
    assertThat(of("a", Map.of("b", "1")).object("a").text("b")).isEqualTo("1");
    assertRefused(() -> of("a", List.of()).object("a"), "a", "must be an object");
    assertRefused(() -> of("a", null).object("a"), "a", "must be an object");
  }

  private static Arguments of(String name, @Nullable Object value) {
    return new Arguments("field", Collections.singletonMap(name, value));
  }

  private static void assertRefused(ThrowingCallable call, String field, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.status()).isEqualTo(400);
              assertThat(problem.toJson().toString()).contains("\"field\":\"" + field + "\"");
            })
        .hasMessageContaining(why);
  }
}
