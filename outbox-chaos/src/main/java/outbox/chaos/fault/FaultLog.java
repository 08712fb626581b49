package outbox.chaos.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import outbox.chaos.clock.SteadyClock;

/** What was done so far. Thread-safe. */
public final class FaultLog {
  private final List<Strike> strikes = Collections.synchronizedList(new ArrayList<>());
  private final List<String> surprises = Collections.synchronizedList(new ArrayList<>());
  private final Map<FaultKind, Integer> counts =
      Collections.synchronizedMap(new EnumMap<>(FaultKind.class));

  /** Notes a fault that begins now. */
  public Strike begin(FaultKind kind, String target) {
    counts.merge(kind, 1, Integer::sum);
    return again(kind, target);
  }

  /** Notes a consequence of a fault that was counted, such as the next process that it ends. */
  public Strike again(FaultKind kind, String target) {
    Strike strike = new Strike(kind, target, SteadyClock.millis());
    strikes.add(strike);
    return strike;
  }

  /** Notes what no fault explains. */
  public void surprise(String what) {
    surprises.add(what);
  }

  public List<String> surprises() {
    synchronized (surprises) {
      return List.copyOf(surprises);
    }
  }

  /** Those of the present round. */
  public List<Strike> strikes() {
    synchronized (strikes) {
      return List.copyOf(strikes);
    }
  }

  /** How many of each kind in all rounds. */
  public Map<FaultKind, Integer> counts() {
    synchronized (counts) {
      return Map.copyOf(counts);
    }
  }

  public void nextRound() {
    strikes.clear();
  }
}
