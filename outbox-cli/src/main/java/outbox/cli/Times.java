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

  private Times() {}

  /** Such as 90s, 15m, 2h or 7d, or as ISO 8601 has it: PT1H30M. */
  static Duration duration(String text) {
    Matcher matcher = SHORT.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "ms" -> Duration.ofMillis(number);
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        case "h" -> Duration.ofHours(number);
        default -> Duration.ofDays(number);
      };
    }
    try {
      Duration duration = Duration.parse(text);
      if (!duration.isNegative()) {
        return duration;
      }
    } catch (DateTimeParseException e) {
      // Said below, with what is understood.
    }
    throw new TypeConversionException(
        "'" + text + "' is no duration; write it like 90s, 15m, 2h, 7d or PT1H30M");
  }

  /** An instant, or how long ago it was. */
  static Instant instant(String text) {
    try {
      return Instant.parse(text.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      return ago(text);
    }
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
