package outbox.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * From the return of the commit to the call of the handler, for each way in: {@code publish}, the
 * inbox, and the router of many databases.
 */
final class WaysIn implements Scenario {
  private static final int PUBLISHERS = 4;
  private static final double INBOX_LIMIT = 2;
  private static final double ROUTER_LIMIT_MS = 1;

  @Override
  public String name() {
    return "ways-in";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    int rounds = lab.mode().pick(7, 1, 1);
    Duration slice = Duration.ofMillis(lab.mode().pick(4000, 1000, 300));
    int databases = lab.mode().pick(300, 30, 3);
    Map<WayIn, List<Sample>> samples = new EnumMap<>(WayIn.class);
    try (TenantDatabases tenants = TenantDatabases.create(lab.server(), databases)) {
      for (WayIn way : WayIn.values()) {
        measure(lab, way, tenants, slice);
      }
      for (int round = 0; round < rounds; round++) {
        for (WayIn way : WayIn.values()) {
          Sample sample = measure(lab, way, tenants, slice);
          samples.computeIfAbsent(way, key -> new ArrayList<>()).add(sample);
          lab.say(
              "%-40s p50 %5.0f us  p99 %6.0f us", way.label(), sample.p50 * 1e3, sample.p99 * 1e3);
        }
      }
    }
    report(results, samples, databases);
  }

  private static Sample measure(Lab lab, WayIn way, TenantDatabases tenants, Duration slice)
      throws Exception {
    CommitClock clock = new CommitClock();
    try (Contestant contestant = way.start(lab, tenants, clock)) {
      Publishers publishers = new Publishers(contestant, PUBLISHERS, false);
      long count = publishers.publishAt(way.rate(), slice, clock::next);
      contestant.awaitCompleted(count);
    }
    double[] micros = clock.micros();
    return new Sample(Stats.percentile(micros, 50) / 1e3, Stats.percentile(micros, 99) / 1e3);
  }

  private static void report(Results results, Map<WayIn, List<Sample>> samples, int databases) {
    Results.Table table =
        results.table(
            "Commit to handler, " + databases + " databases behind the router",
            "",
            "events/s",
            "p50 ms",
            "p99 ms");
    samples.forEach(
        (way, own) ->
            table.row(
                way.label(),
                String.valueOf(way.rate()),
                text(Stats.median(own, Sample::p50)),
                text(Stats.median(own, Sample::p99))));
    double outbox = p50(samples, WayIn.PUBLISH);
    results.gate(
        Gate.atMost(
            "Inbox.receive to handler, p50 / publish",
            p50(samples, WayIn.RECEIVE) / outbox,
            INBOX_LIMIT));
    results.gate(
        new Gate(
            "router of " + databases + " databases, commit to handler p50",
            p50(samples, WayIn.ROUTER),
            false,
            ROUTER_LIMIT_MS,
            "ms"));
  }

  private static double p50(Map<WayIn, List<Sample>> samples, WayIn way) {
    return Stats.median(samples.getOrDefault(way, List.of()), Sample::p50);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }

  /** In milliseconds. */
  private record Sample(double p50, double p99) {}
}
