package outbox.cli;

import java.time.Duration;

/**
 * How far work has come, in words.
 *
 * @param total 0 if it is not known
 */
record ProgressText(String what, long total, String stalled) {
  private static final int LONGEST_BAR = 30;
  private static final int SHORTEST_BAR = 5;

  String line(long done, Duration elapsed) {
    return what + ": " + numbers(done) + ", " + Shown.rate(rate(done, elapsed));
  }

  /** At most so many columns; the bar gives way first. */
  String bar(long done, Duration elapsed, boolean waiting, int columns) {
    String tail = numbers(done) + "  " + Shown.rate(rate(done, elapsed)) + left(done, elapsed);
    String note = waiting ? "  " + stalled : "";
    if (total == 0) {
      return Columns.cut(what + "  " + tail + note, columns);
    }
    int room = columns - Columns.of(what + "  " + "  " + tail + note);
    int length = Math.min(LONGEST_BAR, room);
    String bar = length < SHORTEST_BAR ? "" : filled(done, length) + "  ";
    return Columns.cut(what + "  " + bar + tail + note, columns);
  }

  private String filled(long done, int length) {
    int full = (int) Math.min(length, done * length / total);
    return "█".repeat(full) + "░".repeat(length - full);
  }

  private String numbers(long done) {
    if (total == 0) {
      return Shown.number(done);
    }
    long percent = Math.min(100, done * 100 / total);
    return Shown.number(done) + " of " + Shown.number(total) + " (" + percent + "%)";
  }

  private String left(long done, Duration elapsed) {
    if (total == 0 || done == 0 || done >= total) {
      return "";
    }
    double seconds = (total - done) / rate(done, elapsed);
    return "  " + Shown.age(Duration.ofSeconds((long) Math.ceil(seconds))) + " left";
  }

  private static double rate(long done, Duration elapsed) {
    return done / Math.max(1e-3, elapsed.toNanos() / 1e9);
  }
}
