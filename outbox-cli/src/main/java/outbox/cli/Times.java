package outbox.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** Reads times as people type them. */
final class Times {
  private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final Instant FIRST = Instant.parse("1900-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

  private Times() {}

  /** Such as 90s, 15m, 2h or 7d, or as ISO 8601 has it: PT1H30M. */
  static Duration duration(String text) {
    Matcher matcher = SHORT.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      return bounded(
          text,
          switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          });
    }
    try {
      Duration duration = Duration.parse(text);
      if (!duration.isNegative()) {
        return bounded(text, duration);
      }
    } catch (DateTimeParseException e) {
      // Said below, with what is understood.
    }
    throw new TypeConversionException(
        "'" + text + "' is no duration; write it like 90s, 15m, 2h, 7d or PT1H30M");
  }

  /** What is longer leads to times that no database has. */
  private static Duration bounded(String text, Duration duration) {
    if (duration.compareTo(LONGEST) > 0) {
      throw new TypeConversionException(
          "'" + text + "' is too long; at most " + LONGEST.toDays() + "d");
    }
    return duration;
  }

  /** An instant, or how long ago it was. */
  static Instant instant(String text) {
    Instant instant;
    try {
      instant = Instant.parse(text.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      return ago(text);
    }
    if (instant.isBefore(FIRST) || instant.isAfter(LAST)) {
      throw new TypeConversionException("'" + text + "' is not from " + FIRST + " to " + LAST);
    }
    return instant;
  }

  private static Instant ago(String text) {
    try {
      return Instant.now().minus(duration(text));
    } catch (TypeConversionException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is neither an instant like 2026-03-01T12:00:00Z nor an age like 15m, 2h or 7d");
    }
  }
}
