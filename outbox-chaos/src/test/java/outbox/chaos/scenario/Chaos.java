package outbox.chaos.scenario;

import java.time.Duration;

/** How hard the tests of this package try; {@code -Doutbox.chaos=full} is the long form. */
final class Chaos {
  /** For waits that end by a condition: a busy machine is slow, and that is no failure. */
  static final Duration PATIENCE = Duration.ofSeconds(isFull() ? 600 : 120);

  private Chaos() {}

  static boolean isFull() {
    return "full".equals(System.getProperty("outbox.chaos"));
  }

  static int events(int shortForm, int longForm) {
    return isFull() ? longForm : shortForm;
  }

  /** Shows a measured figure in the output of the test run. */
  static void report(String figures) {
    System.out.println("chaos: " + figures);
  }
}
