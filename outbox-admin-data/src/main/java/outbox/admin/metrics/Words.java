package outbox.admin.metrics;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;

/** Figures as people write them. */
final class Words {
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Words() {}

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  static String counted(Count count, String what) {
    boolean one = count.equals(Count.exactly(1));
    return number(count.value())
        + (count.atLeast() && count.value() > 0 ? "+ " : " ")
        + what
        + (one ? "" : "s");
  }

  static String percent(double ratio) {
    BigDecimal percent = BigDecimal.valueOf(100 * ratio).setScale(1, RoundingMode.HALF_UP);
    return percent.stripTrailingZeros().toPlainString() + " %";
  }

  /** In its two largest units. */
  static String duration(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds >= DAY) {
      return inUnits(seconds, DAY, "d", HOUR, "h");
    }
    if (seconds >= HOUR) {
      return inUnits(seconds, HOUR, "h", MINUTE, "min");
    }
    if (seconds >= MINUTE) {
      return inUnits(seconds, MINUTE, "min", 1, "s");
    }
    return seconds == 0 ? duration.toMillis() + " ms" : seconds + " s";
  }

  private static String inUnits(long value, long large, String its, long small, String smallIts) {
    long rest = value % large / small;
    return value / large + " " + its + (rest == 0 ? "" : " " + rest + " " + smallIts);
  }
}
