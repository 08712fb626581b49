package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * Working off what others left behind: a large backlog must cost no more per event than a small.
 */
final class Drain implements Scenario {
  private static final double LIMIT = 0.7;
  private static final int WORKERS = 4;

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public Set<Database> databases() {
    return EnumSet.allOf(Database.class);
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    int small = lab.mode().pick(10_000, 10_000, 1_000);
    int large = lab.mode().pick(1_000_000, 50_000, 2_000);
    int done = lab.mode().pick(5_000_000, 200_000, 2_000);
    int repeats = lab.mode().pick(5, 1, 1);
    List<Case> cases =
        List.of(
            new Case(count(large) + " pending", large, 0, false),
            new Case(count(large) + " pending, " + count(done) + " done", large, done, false),
            new Case(count(large) + " pending, analysed while empty", large, 0, true));
    Case baseline = new Case(count(small) + " pending", small, 0, false);

    for (int i = 0; i < repeats; i++) {
      drain(lab, baseline);
    }
    List<Usage> floor = new ArrayList<>();
    List<Usage> loaded = new ArrayList<>();
    for (Case each : cases) {
      for (int i = 0; i < repeats; i++) {
        floor.add(report(lab, baseline, drain(lab, baseline)));
      }
      loaded.add(report(lab, each, drain(lab, each)));
    }

    Results.Table table =
        results.table("Drain of a backlog", "", "events/s", "of " + baseline.name, "CPU µs");
    double floorRate = Stats.median(floor, Usage::rate);
    row(table, baseline.name, floorRate, 1, Stats.median(floor, Usage::cpuPerEvent));
    for (int i = 0; i < cases.size(); i++) {
      Usage usage = loaded.get(i);
      double ratio = usage.rate() / floorRate;
      row(table, cases.get(i).name, usage.rate(), ratio, usage.cpuPerEvent());
      String name = "drain of " + cases.get(i).name + " / " + baseline.name;
      results.gate(Gate.atLeast(name, ratio, LIMIT));
    }
    if (lab.database() != Database.POSTGRESQL) {
      byHand(lab, table, baseline, floorRate);
      byHand(lab, table, cases.get(0), floorRate);
    }
  }

  private static void byHand(Lab lab, Results.Table table, Case each, double floorRate)
      throws Exception {
    String name = "hand-written, " + each.name;
    Usage usage = report(lab, name, drainByHand(lab, each.pending));
    row(table, name, usage.rate(), usage.rate() / floorRate, usage.cpuPerEvent());
  }

  /** Claims and completions by bare statements; what the server has to give, and not judged. */
  private static Usage drainByHand(Lab lab, int pending) throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadPending(pending);
    tables.vacuum();
    tables.checkpoint();
    int batch = lab.mode().pick(500, 500, 50);
    try (HikariDataSource pool = lab.server().pool(WORKERS);
        QueueCrew crew =
            new QueueCrew(QueueKind.HAND_WRITTEN, lab.server().sql(), pool, WORKERS, batch)) {
      long first = crew.workOffABatchEach();
      Meter meter = Meter.start(lab.server());
      long rest = crew.workOffAll();
      if (first + rest != pending) {
        throw new IllegalStateException(first + rest + " of " + pending + " were completed");
      }
      return meter.stop(rest);
    }
  }

  /** From the first delivery, so that starting up does not count, to the last completion. */
  private static Usage drain(Lab lab, Case each) throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    if (each.analysedWhileEmpty) {
      tables.freezeStatistics();
      tables.analyze();
    }
    tables.loadDone(each.done);
    tables.loadPending(each.pending);
    if (each.analysedWhileEmpty) {
      tables.touch();
    } else {
      tables.vacuum();
    }
    tables.checkpoint();
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> first.countDown(), Completion.KEPT)) {
      first.await();
      Meter meter = Meter.start(lab.server());
      long before = library.completed();
      library.awaitCompleted(each.pending);
      return meter.stop(each.pending - before);
    }
  }

  private static Usage report(Lab lab, Case each, Usage usage) {
    return report(lab, each.name, usage);
  }

  private static Usage report(Lab lab, String name, Usage usage) {
    lab.say("%-45s %7.0f events/s %4.0f us CPU", name, usage.rate(), usage.cpuPerEvent());
    return usage;
  }

  private static void row(Results.Table table, String name, double rate, double ratio, double cpu) {
    table.row(
        name,
        String.format(Locale.ROOT, "%,.0f", rate),
        String.format(Locale.ROOT, "%.2f", ratio),
        String.format(Locale.ROOT, "%.0f", cpu));
  }

  private static String count(int rows) {
    return rows >= 1_000_000 ? rows / 1_000_000 + " M" : rows / 1_000 + " k";
  }

  private record Case(String name, int pending, int done, boolean analysedWhileEmpty) {}
}
