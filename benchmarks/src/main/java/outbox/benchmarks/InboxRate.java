package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Sixteen senders through the inbox, beside a bare insert; and a backlog of the inbox worked off,
 * beside the same backlog of the outbox.
 */
final class InboxRate implements Scenario {
  private static final double INTAKE_LIMIT = 0.9;
  private static final double DUPLICATE_LIMIT = 1.0;

  @Override
  public String name() {
    return "inbox";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    warmUp(lab);
    Map<IntakeKind, List<Usage>> usages = rounds(lab);
    Results.Table table = results.table("Inbox: intake, 16 senders", "", "messages/s", "CPU µs");
    for (IntakeKind kind : IntakeKind.values()) {
      row(table, kind.label(), usages.getOrDefault(kind, List.of()));
    }
    gate(
        results,
        "receive of a new message / " + IntakeKind.RAW.label(),
        usages,
        IntakeKind.NEW,
        IntakeKind.RAW,
        INTAKE_LIMIT);
    gate(
        results,
        "receive of a duplicate / of a new message",
        usages,
        IntakeKind.DUPLICATES,
        IntakeKind.NEW,
        DUPLICATE_LIMIT);
    new InboxDrain(lab).run(results);
  }

  /** As for the outbox: counted in messages, so that nobody is favoured for having little code. */
  private static void warmUp(Lab lab) throws Exception {
    int messages = lab.mode().pick(40_000, 2_000, 200);
    for (IntakeKind kind : IntakeKind.values()) {
      prepare(lab);
      try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
          Contestant contestant = kind.start(pool)) {
        new Publishers(contestant, Lab.PUBLISHERS, false).publish(messages);
        lab.say("warmed up: %s, %d messages", kind.label(), messages);
      }
    }
  }

  /** Short and many, and each begins with another one. */
  private static Map<IntakeKind, List<Usage>> rounds(Lab lab) throws Exception {
    Duration slice = Duration.ofMillis(lab.mode().pick(1000, 300, 200));
    int rounds = lab.mode().pick(25, 1, 1);
    Map<IntakeKind, List<Usage>> usages = new EnumMap<>(IntakeKind.class);
    List<IntakeKind> order = new ArrayList<>(List.of(IntakeKind.values()));
    for (int round = 0; round < rounds; round++) {
      for (IntakeKind kind : order) {
        usages
            .computeIfAbsent(kind, any -> new ArrayList<>())
            .add(report(lab, kind.label(), round(lab, kind, slice)));
      }
      Collections.rotate(order, 1);
    }
    return usages;
  }

  private static Usage round(Lab lab, IntakeKind kind, Duration slice) throws Exception {
    prepare(lab);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant contestant = kind.start(pool)) {
      Publishers senders = new Publishers(contestant, Lab.PUBLISHERS, false);
      senders.publishFor(slice.dividedBy(5));
      Meter meter = Meter.start(lab.server());
      return meter.stop(senders.publishFor(slice));
    }
  }

  private static void prepare(Lab lab) {
    InboxTable table = new InboxTable(lab.server());
    table.recreate();
    table.load(IntakeKind.LOADED);
  }

  private static void gate(
      Results results,
      String name,
      Map<IntakeKind, List<Usage>> usages,
      IntakeKind above,
      IntakeKind below,
      double limit) {
    List<Usage> top = usages.getOrDefault(above, List.of());
    List<Usage> bottom = usages.getOrDefault(below, List.of());
    results.gate(Gate.atLeast(name, Stats.medianRatio(top, bottom, Usage::rate), limit));
  }

  static Usage report(Lab lab, String label, Usage usage) {
    lab.say("%-44s %7.0f messages/s %4.0f us CPU", label, usage.rate(), usage.cpuPerEvent());
    return usage;
  }

  static void row(Results.Table table, String label, List<Usage> usages) {
    table.row(
        label,
        String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::rate)),
        String.format(Locale.ROOT, "%.0f", Stats.median(usages, Usage::cpuPerEvent)));
  }
}
