package outbox.benchmarks;

import java.util.List;
import java.util.Locale;

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
    IntakeTurns turns = new IntakeTurns(lab);
    turns.run();
    Results.Table table = results.table("Inbox: intake, 16 senders", "", "messages/s", "CPU µs");
    for (IntakeKind kind : IntakeKind.values()) {
      row(table, kind.label(), turns.of(kind));
    }
    gate(
        results,
        "receive of a new message / " + IntakeKind.RAW.label(),
        turns.of(IntakeKind.NEW),
        turns.of(IntakeKind.RAW),
        INTAKE_LIMIT);
    gate(
        results,
        "receive of a duplicate / of a new message",
        turns.of(IntakeKind.DUPLICATES),
        turns.of(IntakeKind.NEW),
        DUPLICATE_LIMIT);
    new InboxDrain(lab).run(results);
  }

  private static void gate(
      Results results, String name, List<Usage> above, List<Usage> below, double limit) {
    results.gate(Gate.atLeast(name, Stats.medianRatio(above, below, Usage::rate), limit));
  }

  static void row(Results.Table table, String label, List<Usage> usages) {
    table.row(
        label,
        String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::rate)),
        String.format(Locale.ROOT, "%.0f", Stats.median(usages, Usage::cpuPerEvent)));
  }
}
