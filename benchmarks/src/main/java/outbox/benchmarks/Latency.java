package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** From the return of the commit to the call of the listener, at 500 events per second. */
final class Latency implements Scenario {
  private static final int RATE = 500;
  private static final int PUBLISHERS = 4;
  private static final List<Kind> KINDS = List.of(Kind.HAND_WRITTEN, Kind.LIBRARY);

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public Set<Database> databases() {
    return EnumSet.allOf(Database.class);
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    int rounds = lab.mode().pick(7, 1, 1);
    Duration slice = Duration.ofMillis(lab.mode().pick(4000, 1000, 300));
    Map<Kind, List<Sample>> samples = new EnumMap<>(Kind.class);
    for (Kind kind : KINDS) {
      measure(lab, kind, slice);
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < KINDS.size(); i++) {
        Kind kind = KINDS.get((round + i) % KINDS.size());
        Sample sample = measure(lab, kind, slice);
        samples.computeIfAbsent(kind, key -> new ArrayList<>()).add(sample);
        lab.say("%-22s p50 %5.0f us  p99 %6.0f us", kind.label(), sample.p50, sample.p99);
      }
    }
    Results.Table table =
        results.table("Commit to listener at 500 events/s", "", "p50 µs", "p99 µs");
    for (Kind kind : KINDS) {
      table.row(
          kind.label(),
          text(Stats.median(rows(samples, kind), Sample::p50)),
          text(Stats.median(rows(samples, kind), Sample::p99)));
    }
    results.gate(Gate.atMost("latency p50 / hand-written", ratio(samples, true), 2));
    results.gate(Gate.atMost("latency p99 / hand-written", ratio(samples, false), 2));
  }

  private static Sample measure(Lab lab, Kind kind, Duration slice) throws Exception {
    new Tables(lab.server()).recreate();
    CommitClock clock = new CommitClock();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant contestant =
            kind.start(lab.server().sql(), clock.around(pool), clock::arrived, Completion.KEPT)) {
      Publishers publishers = new Publishers(contestant, PUBLISHERS, true);
      long count = publishers.publishAt(RATE, slice, clock::next);
      contestant.awaitCompleted(count);
    }
    double[] micros = clock.micros();
    return new Sample(Stats.percentile(micros, 50), Stats.percentile(micros, 99));
  }

  private static double ratio(Map<Kind, List<Sample>> samples, boolean p50) {
    List<Sample> library = rows(samples, Kind.LIBRARY);
    List<Sample> byHand = rows(samples, Kind.HAND_WRITTEN);
    return p50
        ? Stats.median(library, Sample::p50) / Stats.median(byHand, Sample::p50)
        : Stats.median(library, Sample::p99) / Stats.median(byHand, Sample::p99);
  }

  private static List<Sample> rows(Map<Kind, List<Sample>> samples, Kind kind) {
    return samples.getOrDefault(kind, List.of());
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private record Sample(double p50, double p99) {}
}
