package outbox.chaos.clock;

/** The machine's monotonic clock: the same for all processes, and no fault moves it. */
public final class SteadyClock {
  private SteadyClock() {}

  public static long millis() {
    return System.nanoTime() / 1_000_000;
  }

  /** What this process, whose time of day no fault may have moved, adds for the time of day. */
  public static long toTimeOfDay() {
    return System.currentTimeMillis() - millis();
  }
}
