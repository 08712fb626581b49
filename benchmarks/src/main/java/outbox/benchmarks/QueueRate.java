package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Claim and acknowledge, batch by batch, until the queue is empty. */
final class QueueRate implements Scenario {
  private static final double LIMIT = 0.8;
  private static final int WORKERS = 4;
  private static final int WARM_UPS = 2;

  @Override
  public String name() {
    return "queue";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    Results.Table table =
        results.table(
            "Claim and ack, " + WORKERS + " workers",
            "",
            "messages/s",
            "of hand-written",
            "CPU µs per message: server + JVM",
            "statements per message");
    for (int batchSize : new int[] {50, 500}) {
      Map<QueueKind, List<Usage>> usages = rounds(lab, batchSize);
      for (QueueKind kind : QueueKind.values()) {
        tabulate(lab, table, kind, batchSize, usages);
      }
      results.gate(
          Gate.atLeast(
              "claim and ack of " + batchSize + " / hand-written",
              ratio(usages, QueueKind.LIBRARY),
              LIMIT));
    }
  }

  /** Short and many, and each begins with the other one. */
  private static Map<QueueKind, List<Usage>> rounds(Lab lab, int batchSize) throws Exception {
    int messages = lab.mode().pick(20_000, 5_000, 1_000);
    int rounds = lab.mode().pick(21, 2, 1);
    int warmUps = lab.mode() != Mode.FULL ? 0 : WARM_UPS;
    Map<QueueKind, List<Usage>> usages = new EnumMap<>(QueueKind.class);
    List<QueueKind> order = new ArrayList<>(List.of(QueueKind.values()));
    for (int round = -warmUps; round < rounds; round++) {
      Collections.reverse(order);
      for (QueueKind kind : order) {
        Usage usage = round(lab, kind, batchSize, messages);
        if (round >= 0) {
          usages.computeIfAbsent(kind, any -> new ArrayList<>()).add(usage);
          lab.say(
              "%-24s n = %3d %7.0f messages/s %5.1f us CPU per message",
              kind.label(), batchSize, usage.rate(), usage.cpuPerEvent());
        }
      }
    }
    return usages;
  }

  /** Without the first batch of each worker, for which statements are prepared. */
  private static Usage round(Lab lab, QueueKind kind, int batchSize, int messages)
      throws Exception {
    load(lab, messages);
    try (HikariDataSource pool = lab.server().pool(WORKERS);
        QueueCrew crew = new QueueCrew(kind, lab.server().sql(), pool, WORKERS, batchSize)) {
      long first = crew.workOffABatchEach();
      Meter meter = Meter.start(lab.server());
      long rest = crew.workOffAll();
      Usage usage = meter.stop(rest);
      requireAll(first + rest, messages);
      return usage;
    }
  }

  private static void load(Lab lab, int messages) {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadPending(messages);
    tables.vacuum();
    tables.checkpoint();
  }

  private static void requireAll(long done, long messages) {
    if (done != messages) {
      throw new IllegalStateException(done + " of " + messages + " messages were acknowledged");
    }
  }

  private static void tabulate(
      Lab lab,
      Results.Table table,
      QueueKind kind,
      int batchSize,
      Map<QueueKind, List<Usage>> usages)
      throws Exception {
    List<Usage> own = usages.getOrDefault(kind, List.of());
    Census.Counts counts =
        new Census(lab)
            .of(
                total -> {
                  load(lab, (int) total);
                  try (HikariDataSource pool = lab.server().pool(WORKERS);
                      QueueCrew crew =
                          new QueueCrew(kind, lab.server().sql(), pool, WORKERS, batchSize)) {
                    requireAll(crew.workOffAll(), total);
                  }
                });
    table.row(
        kind.label() + ", n = " + batchSize,
        text("%,.0f", Stats.median(own, Usage::rate)),
        text("%.2f", ratio(usages, kind)),
        text("%.1f", Stats.median(own, Usage::serverCpuPerEvent))
            + " + "
            + text("%.1f", Stats.median(own, Usage::jvmCpuPerEvent)),
        text("%.4f", counts.statementsPerEvent()));
  }

  private static double ratio(Map<QueueKind, List<Usage>> usages, QueueKind kind) {
    return Stats.medianRatio(
        usages.getOrDefault(kind, List.of()),
        usages.getOrDefault(QueueKind.HAND_WRITTEN, List.of()),
        Usage::rate);
  }

  private static String text(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
