package outbox.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import outbox.chaos.fault.FaultKind;

/** The account as Markdown. */
final class Report {
  /** Violations of one kind. */
  private static final int SHOWN = 10;

  private final Options options;
  private final List<Totals> all;
  private final StringBuilder text = new StringBuilder();

  Report(Options options, List<Totals> all) {
    this.options = options;
    this.all = all;
  }

  String toMarkdown() {
    line("Seed " + options.seed() + ", " + options.time().toMinutes() + " min on each database.");
    line("");
    head("what");
    row("rounds", totals -> number(totals.rounds));
    row("events and messages", totals -> number(Totals.sum(totals.events)));
    row("faults", totals -> number(Totals.sum(totals.faults)));
    row("repeated calls, all explained", totals -> number(Totals.sum(totals.repetitions)));
    row("violations", totals -> number(totals.violations.size()));
    row("stalls of the machine", totals -> number(totals.stalls));
    row("slowest recovery", totals -> seconds(totals.slowestRecovery));
    row(
        "slowest recovery with an event that halts processes",
        totals -> seconds(totals.slowestRecoveryFromPoison));
    row("most threads of a node", totals -> number(totals.usage.threads()));
    row("most heap of a node", totals -> totals.usage.heapMegabytes() + " MiB");
    row("most connections of a node", totals -> number(totals.usage.connections()));
    row("most sessions of the database", totals -> number(totals.sessions));
    section("events by topic", totals -> totals.events);
    faults();
    section("repeated calls by cause", totals -> totals.repetitions);
    violations();
    return text.toString();
  }

  private void faults() {
    line("");
    head("fault");
    for (FaultKind kind : FaultKind.values()) {
      if (options.faults().contains(kind)) {
        row(
            kind.meaning(),
            totals ->
                totals.notTried.contains(kind)
                    ? "not tried here"
                    : number(totals.faults.getOrDefault(kind, 0)));
      }
    }
  }

  private void section(String title, Function<Totals, Map<String, Integer>> counts) {
    line("");
    head(title);
    Set<String> keys = new TreeSet<>();
    all.forEach(totals -> keys.addAll(counts.apply(totals).keySet()));
    for (String key : keys) {
      row(key, totals -> number(counts.apply(totals).getOrDefault(key, 0)));
    }
  }

  private void violations() {
    for (Totals totals : all) {
      if (!totals.violations.isEmpty()) {
        line("");
        line("Violations on " + totals.database + ":");
        line("");
        Map<String, Integer> kinds = new TreeMap<>();
        for (String violation : totals.violations) {
          if (kinds.merge(kindOf(violation), 1, Integer::sum) <= SHOWN) {
            line("- " + violation);
          }
        }
        kinds.values().removeIf(count -> count <= SHOWN);
        kinds.forEach((kind, count) -> line("- and " + (count - SHOWN) + " more " + kind));
      }
    }
  }

  private static String kindOf(String violation) {
    return violation.substring(0, Math.max(0, violation.indexOf(':')));
  }

  private void head(String title) {
    StringBuilder rule = new StringBuilder("|---|");
    text.append("| ").append(title).append(" |");
    for (Totals totals : all) {
      text.append(' ').append(totals.database).append(" |");
      rule.append("---|");
    }
    line("");
    line(rule.toString());
  }

  private void row(String title, Function<Totals, String> value) {
    text.append("| ").append(title).append(" |");
    all.forEach(totals -> text.append(' ').append(value.apply(totals)).append(" |"));
    line("");
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  private static String seconds(Duration duration) {
    return String.format("%.1f s", duration.toMillis() / 1000.0);
  }

  private static String number(long value) {
    return String.format("%,d", value);
  }
}
