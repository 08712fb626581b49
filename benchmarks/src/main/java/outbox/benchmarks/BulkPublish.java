package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Events that are published one by one, each in a transaction of its own, and a hundred at once:
 * what each costs until it is completed, client and server together.
 */
final class BulkPublish implements Scenario {
  private static final double LIMIT = 5;
  private static final int AT_ONCE = 100;

  @Override
  public String name() {
    return "bulk";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    int events = lab.mode().pick(20_000, 5_000, 500);
    int rounds = lab.mode().pick(10, 3, 1);
    new Tables(lab.server()).recreate();
    List<Usage> single = new ArrayList<>();
    List<Usage> bulk = new ArrayList<>();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Library library = new Library(pool, event -> {}, Completion.KEPT)) {
      measure(lab, library, events, 1);
      measure(lab, library, events, AT_ONCE);
      for (int i = 0; i < rounds; i++) {
        single.add(measure(lab, library, events, 1));
        bulk.add(measure(lab, library, events, AT_ONCE));
        lab.say(
            "one by one %4.0f us CPU, %d at once %4.0f us CPU",
            single.get(i).cpuPerEvent(), AT_ONCE, bulk.get(i).cpuPerEvent());
      }
    }
    report(results, single, bulk);
  }

  /** Each call waits for its events: what does not fit into memory would be measured otherwise. */
  private static Usage measure(Lab lab, Library library, int events, int atOnce) throws Exception {
    Meter meter = Meter.start(lab.server());
    long before = library.completed();
    for (int published = 0; published < events; published += AT_ONCE) {
      for (int i = 0; i < AT_ONCE; i += atOnce) {
        library.commitAll(Stream.generate(Payload::next).limit(atOnce).toList());
      }
      library.awaitCompleted(before + published + AT_ONCE);
    }
    return meter.stop(events);
  }

  private static void report(Results results, List<Usage> single, List<Usage> bulk) {
    Results.Table table =
        results.table(
            "Published one by one and " + AT_ONCE + " at once", "", "CPU µs", "WAL bytes");
    table.row("publish", cpu(single), wal(single));
    table.row("publishAll", cpu(bulk), wal(bulk));
    results.gate(
        Gate.atLeast(
            "publishAll of " + AT_ONCE + " / publish, events per CPU second",
            Stats.medianRatio(single, bulk, Usage::cpuPerEvent),
            LIMIT));
  }

  private static String cpu(List<Usage> usages) {
    return String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::cpuPerEvent));
  }

  private static String wal(List<Usage> usages) {
    return String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::walPerEvent));
  }
}
