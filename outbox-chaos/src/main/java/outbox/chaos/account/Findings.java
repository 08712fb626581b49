package outbox.chaos.account;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the checks found. Not thread-safe. */
public final class Findings {
  private final List<String> violations = new ArrayList<>();
  private final Map<String, Integer> events = new TreeMap<>();
  private final Map<String, Integer> repetitions = new TreeMap<>();
  private final int stalls;

  Findings(int stalls) {
    this.stalls = stalls;
  }

  void violation(String what) {
    violations.add(what);
  }

  void event(String topic) {
    events.merge(topic, 1, Integer::sum);
  }

  void repetition(String cause) {
    repetitions.merge(cause, 1, Integer::sum);
  }

  /** How often the machine was too busy, without a fault. */
  public int stalls() {
    return stalls;
  }

  public List<String> violations() {
    return violations;
  }

  /** Committed events and messages by topic. */
  public Map<String, Integer> events() {
    return events;
  }

  /** Repeated calls by what caused them. */
  public Map<String, Integer> repetitions() {
    return repetitions;
  }
}
