package outbox.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import outbox.OutboxConfig;

/** What a join costs the workers that acknowledge its steps, and how soon it continues. */
final class JoinRate implements Scenario {
  private static final double ACK_LIMIT = 0.5;

  /** What the engine acknowledges at once; smaller batches by hand are shown beside it. */
  private static final int ENGINE_BATCH = new OutboxConfig().getFlushBatchSize();

  private static final double LATENCY_LIMIT_MS = 5;

  /** Held, so that its level stays: a line for each join would go to the console. */
  private static final Logger LIBRARY = Logger.getLogger("outbox");

  @Override
  public String name() {
    return "joins";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    LIBRARY.setLevel(Level.WARNING);
    try {
      acks(lab, results);
      latency(lab, results);
    } finally {
      LIBRARY.setLevel(null);
      new JoinTables(lab.server()).drop();
    }
  }

  private static void acks(Lab lab, Results results) throws Exception {
    int messages = lab.mode().pick(10_000, 10_000, 1_000);
    Results.Table table =
        results.table(
            String.format(Locale.ROOT, "Acknowledging %,d messages, 4 workers", messages),
            "",
            "messages/s",
            "of without joins",
            "CPU µs per message: server + JVM");
    for (int batchSize : new int[] {50, ENGINE_BATCH}) {
      Map<JoinKind, List<Usage>> usages = rounds(lab, batchSize, messages);
      usages.forEach((kind, own) -> row(table, kind, batchSize, own, usages));
      if (batchSize == ENGINE_BATCH) {
        results.gate(
            Gate.atLeast(
                "ack of " + batchSize + " steps of one join / without joins",
                ratio(usages, JoinKind.HOT),
                ACK_LIMIT));
      }
    }
  }

  private static Map<JoinKind, List<Usage>> rounds(Lab lab, int batchSize, int messages)
      throws Exception {
    int rounds = lab.mode().pick(9, 2, 1);
    int warmUps = lab.mode().pick(2, 1, 0);
    Map<JoinKind, List<Usage>> usages = new EnumMap<>(JoinKind.class);
    List<JoinKind> order = new ArrayList<>(List.of(JoinKind.values()));
    for (int round = -warmUps; round < rounds; round++) {
      Collections.rotate(order, 1);
      for (JoinKind kind : order) {
        Usage usage = new JoinAcks(lab, kind, batchSize).of(messages);
        if (round >= 0) {
          usages.computeIfAbsent(kind, any -> new ArrayList<>()).add(usage);
          lab.say(
              "%-27s n = %3d %7.0f acks/s %5.1f us CPU per message",
              kind.label(), batchSize, usage.rate(), usage.cpuPerEvent());
        }
      }
    }
    return usages;
  }

  private static void row(
      Results.Table table,
      JoinKind kind,
      int batchSize,
      List<Usage> own,
      Map<JoinKind, List<Usage>> usages) {
    table.row(
        kind.label() + ", n = " + batchSize,
        text("%,.0f", Stats.median(own, Usage::rate)),
        text("%.2f", ratio(usages, kind)),
        text("%.1f", Stats.median(own, Usage::serverCpuPerEvent))
            + " + "
            + text("%.1f", Stats.median(own, Usage::jvmCpuPerEvent)));
  }

  private static double ratio(Map<JoinKind, List<Usage>> usages, JoinKind kind) {
    return Stats.medianRatio(
        usages.getOrDefault(kind, List.of()),
        usages.getOrDefault(JoinKind.WITHOUT, List.of()),
        Usage::rate);
  }

  private static void latency(Lab lab, Results results) throws Exception {
    int joins = lab.mode().pick(200, 30, 5);
    double[] micros = new JoinLatency(lab).of(joins, lab.mode().pick(1_000, 150, 2));
    double p50 = Stats.percentile(micros, 50) / 1e3;
    Results.Table table =
        results.table("Last step to continuation, idle server", "", "p50 ms", "p99 ms");
    table.row(
        "return of the last step's handler to start of the continuation's",
        text("%.2f", p50),
        text("%.2f", Stats.percentile(micros, 99) / 1e3));
    results.gate(new Gate("last step to continuation, p50", p50, false, LATENCY_LIMIT_MS, "ms"));
  }

  private static String text(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
