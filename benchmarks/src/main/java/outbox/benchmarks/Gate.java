package outbox.benchmarks;

import java.util.Locale;

/** A promise with a number: what was measured, and what it must not fall below or exceed. */
record Gate(String name, double value, boolean atLeast, double limit, String unit) {

  static Gate atLeast(String name, double value, double limit) {
    return new Gate(name, value, true, limit, "x");
  }

  static Gate atMost(String name, double value, double limit) {
    return new Gate(name, value, false, limit, "x");
  }

  boolean passed() {
    return atLeast ? value >= limit : value <= limit;
  }

  String rule() {
    return (atLeast ? "at least " : "at most ") + text(limit);
  }

  String measured() {
    return text(value);
  }

  private String text(double number) {
    String format = number >= 1000 ? "%,.0f" : "%.2f";
    return String.format(Locale.ROOT, format, number) + (unit.equals("x") ? "x" : " " + unit);
  }
}
