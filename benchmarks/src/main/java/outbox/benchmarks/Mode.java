package outbox.benchmarks;

import java.util.Locale;

/** How much time a run may take. Every scenario says its own sizes for each. */
enum Mode {
  /** Half an hour: the sizes that the gates speak of. */
  FULL,
  /** A few minutes: everything scaled down. */
  QUICK,
  /** A minute: proves that everything runs, measures nothing. */
  SMOKE;

  int pick(int full, int quick, int smoke) {
    return switch (this) {
      case FULL -> full;
      case QUICK -> quick;
      case SMOKE -> smoke;
    };
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
