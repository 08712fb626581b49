package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Sixteen publishers as fast as they can, until the last of their events is completed. */
final class EndToEnd implements Scenario {
  @Override
  public String name() {
    return "end-to-end";
  }

  @Override
  public Set<Database> databases() {
    return EnumSet.allOf(Database.class);
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    Duration slice = Duration.ofMillis(lab.mode().pick(1000, 300, 200));
    Map<Kind, List<Usage>> deleted =
        rounds(lab, Completion.DELETED, slice, lab.mode().pick(40, 1, 1));
    Map<Kind, List<Usage>> kept = rounds(lab, Completion.KEPT, slice, lab.mode().pick(20, 1, 1));
    Census census = new Census(lab);
    tabulate(
        lab.server(),
        results,
        "End to end, 16 publishers, rows deleted when done",
        deleted,
        census,
        Completion.DELETED);
    tabulate(
        lab.server(),
        results,
        "End to end, 16 publishers, rows kept as DONE",
        kept,
        census,
        Completion.KEPT);
    if (lab.database() == Database.POSTGRESQL) {
      gate(results, "end to end / insert only", deleted, Kind.LIBRARY, Kind.INSERT_ONLY, 0.85);
      gate(
          results,
          "hand-written / insert only",
          deleted,
          Kind.HAND_WRITTEN,
          Kind.INSERT_ONLY,
          0.95);
    }
    double limit = lab.database() == Database.POSTGRESQL ? 0.9 : 0.85;
    gate(results, "end to end / hand-written", deleted, Kind.LIBRARY, Kind.HAND_WRITTEN, limit);
    gate(
        results,
        "rows kept: end to end / hand-written",
        kept,
        Kind.LIBRARY,
        Kind.HAND_WRITTEN,
        limit);
  }

  /** Each round has another order: single seconds differ by a fifth on a shared machine. */
  private static Map<Kind, List<Usage>> rounds(
      Lab lab, Completion completion, Duration slice, int count) throws Exception {
    Map<Kind, List<Usage>> usages = new EnumMap<>(Kind.class);
    List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
    for (int round = 0; round < count; round++) {
      Collections.shuffle(kinds, new Random(round));
      for (Kind kind : kinds) {
        Usage usage = round(lab, kind, completion, slice);
        usages.computeIfAbsent(kind, key -> new ArrayList<>()).add(usage);
        lab.say(
            "%-22s %6.0f events/s %5.0f us CPU per event",
            kind.label(), usage.rate(), usage.cpuPerEvent());
      }
    }
    return usages;
  }

  private static Usage round(Lab lab, Kind kind, Completion completion, Duration slice)
      throws Exception {
    new Tables(lab.server()).recreate();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant contestant = kind.start(lab.server().sql(), pool, event -> {}, completion)) {
      Publishers publishers = new Publishers(contestant, Lab.PUBLISHERS, true);
      long warmUp = publishers.publishFor(slice.dividedBy(5));
      contestant.awaitCompleted(warmUp);
      Meter meter = Meter.start(lab.server());
      long events = publishers.publishFor(slice);
      contestant.awaitCompleted(warmUp + events);
      return meter.stop(events);
    }
  }

  private static void tabulate(
      Server server,
      Results results,
      String title,
      Map<Kind, List<Usage>> usages,
      Census census,
      Completion completion)
      throws Exception {
    Results.Table table =
        results.table(
            title,
            "",
            "events/s",
            "of insert only",
            "CPU µs per event: server + JVM",
            server.logName() + " bytes per event",
            "statements per event",
            "commits per event");
    for (Kind kind : Kind.values()) {
      List<Usage> own = rows(usages, kind);
      Census.Counts counts = census.of(kind, completion);
      table.row(
          kind.label(),
          text("%,.0f", Stats.median(own, Usage::rate)),
          text("%.2f", Stats.medianRatio(own, rows(usages, Kind.INSERT_ONLY), Usage::rate)),
          text("%.0f", Stats.median(own, Usage::serverCpuPerEvent))
              + " + "
              + text("%.0f", Stats.median(own, Usage::jvmCpuPerEvent)),
          text("%,.0f", Stats.median(own, Usage::walPerEvent)),
          text("%.3f", counts.statementsPerEvent()),
          text("%.3f", counts.commitsPerEvent()));
    }
  }

  private static void gate(
      Results results,
      String name,
      Map<Kind, List<Usage>> usages,
      Kind above,
      Kind below,
      double limit) {
    double ratio = Stats.medianRatio(rows(usages, above), rows(usages, below), Usage::rate);
    results.gate(Gate.atLeast(name, ratio, limit));
  }

  private static List<Usage> rows(Map<Kind, List<Usage>> usages, Kind kind) {
    return usages.getOrDefault(kind, List.of());
  }

  private static String text(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
