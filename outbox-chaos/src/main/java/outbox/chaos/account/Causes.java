package outbox.chaos.account;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.Strike;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Fact;
import outbox.chaos.node.Pace;

/** Finds the fault that explains what would be wrong without one. */
final class Causes {
  /** How long before a call a fault may have begun to work: a lease, and some time to notice. */
  private static final long BEFORE_MILLIS = Pace.LEASE.toMillis() + 1000;

  /** Those that hurt no lease and so explain nothing. */
  private static final Set<FaultKind> HARMLESS =
      EnumSet.of(
          FaultKind.ERROR,
          FaultKind.HANG,
          FaultKind.NODE_CLOCK,
          FaultKind.OLD_SNAPSHOT,
          FaultKind.KILL_PURGE,
          FaultKind.KILL_REPLAY,
          FaultKind.KILL_MIGRATION);

  /** Those that do not keep a node from renewing its leases in time. */
  private static final Set<FaultKind> BRIEF =
      EnumSet.of(
          FaultKind.KILL,
          FaultKind.HALT,
          FaultKind.HALT_AFTER_COMMIT,
          FaultKind.HALT_AFTER_HANDLER,
          FaultKind.CUT,
          FaultKind.CUT_BEFORE_COMMIT,
          FaultKind.CUT_AFTER_COMMIT,
          FaultKind.TERMINATE);

  private static final String STALL = "machine-stall";

  private final List<Strike> strikes;
  private final List<Entry> stalls;

  Causes(List<Strike> strikes, List<Entry> entries) {
    this.strikes =
        strikes.stream()
            .filter(strike -> !HARMLESS.contains(strike.kind()))
            .sorted(Comparator.comparing(Causes::isVague).thenComparing(Strike::from))
            .toList();
    this.stalls = entries.stream().filter(entry -> entry.fact() == Fact.STALLED).toList();
  }

  /** It is not known which node an event that exhausts the memory has hit. */
  private static boolean isVague(Strike strike) {
    return strike.kind() == FaultKind.MEMORY;
  }

  /** Why a call at this node may have been repeated by one that began then; null if by nothing. */
  @Nullable String ofRepetition(String node, long start, long again) {
    return first(node, strikes.stream(), start - BEFORE_MILLIS, again);
  }

  /** Why two calls may have run at once. */
  @Nullable String ofOverlap(String node, long start, long again) {
    return first(
        node,
        strikes.stream().filter(strike -> !BRIEF.contains(strike.kind())),
        start - BEFORE_MILLIS,
        again);
  }

  /** Whether the database's own times of this span cannot be compared. */
  boolean isClockMoved(long from, long to) {
    return strikes.stream()
        .anyMatch(
            strike ->
                strike.kind() == FaultKind.CLOCK && strike.touches(Strike.DATABASE, from, to));
  }

  private @Nullable String first(String node, Stream<Strike> candidates, long from, long to) {
    return candidates
        .filter(strike -> strike.touches(node, from, to))
        .map(strike -> strike.kind().label())
        .findFirst()
        .orElse(stalled(node, from, to) ? STALL : null);
  }

  private boolean stalled(String node, long from, long to) {
    return stalls.stream()
        .anyMatch(
            stall ->
                (stall.node().equals(node) || stall.node().equals(Strike.DATABASE))
                    && stall.at() >= from
                    && began(stall) <= to);
  }

  /** How often a node or the database stood still without a fault. */
  int stallsOfTheMachine() {
    return (int) stalls.stream().filter(stall -> !isStruck(stall)).count();
  }

  private boolean isStruck(Entry stall) {
    return strikes.stream()
        .anyMatch(strike -> strike.touches(stall.node(), began(stall) - BEFORE_MILLIS, stall.at()));
  }

  private static long began(Entry stall) {
    return stall.at() - Long.parseLong(stall.detail());
  }

  /** The faults around a moment, for those who must find out. */
  String near(long at) {
    List<String> near =
        strikes.stream()
            .filter(strike -> Math.abs(strike.from() - at) < 2 * BEFORE_MILLIS)
            .map(Strike::toString)
            .toList();
    return near.isEmpty() ? "no fault near" : "faults near: " + String.join("; ", near);
  }
}
