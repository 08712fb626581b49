package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Sixteen publishers while the log is as the JDK sets it up, and while it is off. */
final class Logging implements Scenario {
  private static final double LIMIT = 0.97;
  private static final Logger ROOT = Logger.getLogger("");

  @Override
  public String name() {
    return "logging";
  }

  /** The turns of a pair change places each time, so that a drift of the machine hits both. */
  @Override
  public void run(Lab lab, Results results) throws Exception {
    Duration slice = Duration.ofMillis(lab.mode().pick(1_000, 300, 200));
    List<Usage> byDefault = new ArrayList<>();
    List<Usage> off = new ArrayList<>();
    new Tables(lab.server()).recreate();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> {}, Completion.DELETED)) {
      Publishers publishers = new Publishers(library, Lab.PUBLISHERS, true);
      publishers.publishFor(slice);
      for (int i = 0; i < lab.mode().pick(40, 2, 1); i++) {
        if (i % 2 == 0) {
          byDefault.add(measure(lab, "log by default", publishers, slice));
        }
        off.add(withoutLog(() -> measure(lab, "log off", publishers, slice)));
        if (i % 2 == 1) {
          byDefault.add(measure(lab, "log by default", publishers, slice));
        }
      }
    }
    Results.Table table =
        results.table("The log by default and off, 16 publishers", "", "events/s");
    table.row("by default", rate(byDefault));
    table.row("off", rate(off));
    results.gate(
        Gate.atLeast(
            "log by default / off", Stats.medianRatio(byDefault, off, Usage::rate), LIMIT));
  }

  private static <T> T withoutLog(Measurement<T> measurement) throws Exception {
    Level before = ROOT.getLevel();
    ROOT.setLevel(Level.OFF);
    try {
      return measurement.run();
    } finally {
      ROOT.setLevel(before);
    }
  }

  private static Usage measure(Lab lab, String label, Publishers publishers, Duration slice)
      throws Exception {
    Meter meter = Meter.start(lab.server());
    Usage usage = meter.stop(publishers.publishFor(slice));
    lab.say("%-16s %7.0f events/s %4.0f us CPU", label, usage.rate(), usage.cpuPerEvent());
    return usage;
  }

  private static String rate(List<Usage> usages) {
    return String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::rate));
  }

  @FunctionalInterface
  private interface Measurement<T> {
    T run() throws Exception;
  }
}
