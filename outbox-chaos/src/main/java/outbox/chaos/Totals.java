package outbox.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import outbox.chaos.account.Findings;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fleet.Usage;

/** The sums of all rounds on one database. Not thread-safe. */
final class Totals {
  final String database;
  final Map<String, Integer> events = new TreeMap<>();
  final Map<String, Integer> repetitions = new TreeMap<>();
  final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
  final List<FaultKind> notTried = new ArrayList<>();
  final List<String> violations = new ArrayList<>();
  int rounds;
  int stalls;
  Duration slowestRecovery = Duration.ZERO;

  /** Of rounds with an event that halts one process after the other. */
  Duration slowestRecoveryFromPoison = Duration.ZERO;

  Usage usage = new Usage(0, 0, 0);
  long sessions;

  Totals(String database) {
    this.database = database;
  }

  void add(Findings findings) {
    findings.events().forEach((topic, count) -> events.merge(topic, count, Integer::sum));
    findings.repetitions().forEach((cause, count) -> repetitions.merge(cause, count, Integer::sum));
    violations.addAll(findings.violations());
    stalls += findings.stalls();
    rounds++;
  }

  void recovered(Duration howLong, boolean poisoned) {
    if (poisoned) {
      slowestRecoveryFromPoison = longer(slowestRecoveryFromPoison, howLong);
    } else {
      slowestRecovery = longer(slowestRecovery, howLong);
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  static int sum(Map<?, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
