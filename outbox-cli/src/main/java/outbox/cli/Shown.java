package outbox.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.admin.metrics.Count;

/** Values as people read them. Whatever a terminal would obey is taken out of texts. */
final class Shown {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Shown() {}

  /** One line: what would break it is a space. */
  static String line(@Nullable String text) {
    return text == null ? "" : lines(text).replaceAll("\\s+", " ").strip();
  }

  /** Line ends and tabs stay; other control characters, and what turns text around, do not. */
  static String lines(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.replace("\r\n", "\n")
        .codePoints()
        .map(c -> c == '\n' || c == '\t' || !isControl(c) ? c : '\uFFFD')
        .forEach(safe::appendCodePoint);
    return safe.toString();
  }

  private static boolean isControl(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL || type == Character.FORMAT || type == Character.SURROGATE;
  }

  static String time(@Nullable Instant instant) {
    return instant == null ? "" : TIME.format(instant);
  }

  /** Its two largest units. */
  static String age(Duration age) {
    long seconds = age.toSeconds();
    if (seconds < 1) {
      return Math.max(0, age.toMillis()) + "ms";
    }
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3_600) {
      return two(seconds / 60, "m", seconds % 60, "s");
    }
    return seconds < 86_400
        ? two(seconds / 3_600, "h", seconds % 3_600 / 60, "m")
        : two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h");
  }

  private static String two(long large, String unit, long small, String smallUnit) {
    return small == 0 ? large + unit : large + unit + " " + small + smallUnit;
  }

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** With a plus sign if there may be more; of none that was seen there is nothing to add. */
  static String count(Count count) {
    return number(count.value()) + (count.atLeast() && count.value() > 0 ? "+" : "");
  }

  static String rate(double perSecond) {
    return perSecond >= 100
        ? number(Math.round(perSecond)) + "/s"
        : String.format(Locale.ROOT, "%.1f/s", perSecond);
  }

  static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f%%", share * 100);
  }

  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < SIZES.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? number(bytes) + " B"
        : String.format(Locale.ROOT, "%.1f %s", value, SIZES[unit]);
  }

  /** One message, but two messages. */
  static String messages(long number) {
    return number == 1 ? "1 message" : number(number) + " messages";
  }
}
