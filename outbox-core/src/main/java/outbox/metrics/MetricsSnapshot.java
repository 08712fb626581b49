package outbox.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.metrics.QueueFacts.Tally;

/**
 * The state of a queue at a moment.
 *
 * @param backlog pending messages
 * @param failedPending those of them that were delivered in vain before
 * @param oldFailures those of them that were delivered in vain more often than is healthy
 * @param leased those of them that are being worked on
 * @param scheduled those of them that are not due yet
 * @param dead messages that ended without success
 * @param oldestAge how long the eldest message has been waiting; zero if none is
 * @param topics the same by topic, those with most trouble first
 * @param tenants the same by tenant; messages without one are under an empty name
 */
public record MetricsSnapshot(
    Instant at,
    Count backlog,
    Count failedPending,
    Count oldFailures,
    Count leased,
    Count scheduled,
    Count dead,
    Duration oldestAge,
    Activity activity,
    List<Group> topics,
    List<Group> tenants) {

  /** Computes the snapshot; the same facts give the same snapshot. */
  public static MetricsSnapshot of(QueueFacts facts, Activity activity) {
    List<Tally> all = facts.tallies();
    boolean partial = facts.partial();
    long counted = sum(all, Tally::backlog);
    return new MetricsSnapshot(
        facts.at(),
        count(counted, facts.backlogEstimate(), partial),
        new Count(sum(all, Tally::failedPending), partial),
        new Count(sum(all, Tally::oldFailures), partial),
        new Count(sum(all, Tally::leased), partial),
        new Count(sum(all, Tally::scheduled), partial),
        count(sum(all, Tally::dead), facts.deadEstimate(), facts.deadPartial()),
        oldestAge(all, facts.at()),
        activity,
        groups(facts, Tally::topic),
        groups(facts, tally -> tally.tenant() == null ? "" : tally.tenant()));
  }

  private static Count count(long counted, long estimate, boolean partial) {
    return new Count(partial ? Math.max(counted, estimate) : counted, partial);
  }

  private static List<Group> groups(QueueFacts facts, Function<Tally, String> name) {
    Map<String, List<Tally>> byName = facts.tallies().stream().collect(Collectors.groupingBy(name));
    return byName.entrySet().stream()
        .map(entry -> group(entry.getKey(), entry.getValue(), facts))
        .sorted(
            Comparator.comparingLong(Group::trouble)
                .thenComparing(Group::oldestAge)
                .reversed()
                .thenComparing(Group::name))
        .toList();
  }

  private static Group group(String name, Collection<Tally> tallies, QueueFacts facts) {
    return new Group(
        name,
        new Count(sum(tallies, Tally::backlog), facts.partial()),
        new Count(sum(tallies, Tally::failedPending), facts.partial()),
        new Count(sum(tallies, Tally::dead), facts.deadPartial()),
        oldestAge(tallies, facts.at()));
  }

  private static long sum(Collection<Tally> tallies, ToLongFunction<Tally> value) {
    return tallies.stream().mapToLong(value).sum();
  }

  private static Duration oldestAge(Collection<Tally> tallies, Instant now) {
    Duration longest = Duration.ZERO;
    for (Tally tally : tallies) {
      longest = max(longest, age(tally.oldest(), now));
    }
    return longest;
  }

  private static Duration age(@Nullable Instant since, Instant now) {
    return since == null || since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** The messages of one topic, or of one tenant. */
  public record Group(
      String name, Count backlog, Count failedPending, Count dead, Duration oldestAge) {

    long trouble() {
      return failedPending.value() + dead.value();
    }
  }
}
