package outbox.admin.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.admin.metrics.QueueFacts.Pending;
import outbox.admin.metrics.QueueFacts.Tally;
import outbox.metrics.Activity;

/**
 * The state of a queue at a moment.
 *
 * @param backlog pending messages that are due now, including those that a handler works on
 * @param failedPending pending messages, due or not, whose deliveries failed before
 * @param oldFailures pending messages, due or not, that failed as often as the threshold says
 * @param leased those of the backlog that a handler works on
 * @param scheduled pending messages that are not due yet; no part of the backlog
 * @param dead messages that ended without success
 * @param oldestAge how long the oldest message has been waiting; zero if none is
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
    Pending pending = facts.pending() == null ? summedUp(all) : facts.pending();
    boolean partial = facts.pending() != null;
    return new MetricsSnapshot(
        facts.at(),
        pending.backlog(),
        new Count(sum(all, Tally::failedPending), partial),
        new Count(sum(all, Tally::oldFailures), partial),
        pending.leased(),
        pending.scheduled(),
        facts.dead() == null ? Count.exactly(sum(all, Tally::dead)) : facts.dead(),
        age(pending.oldest(), facts.at()),
        activity,
        groups(facts, Tally::topic),
        groups(facts, tally -> tally.tenant() == null ? "" : tally.tenant()));
  }

  private static Pending summedUp(Collection<Tally> tallies) {
    return new Pending(
        Count.exactly(sum(tallies, Tally::backlog)),
        Count.exactly(sum(tallies, Tally::leased)),
        Count.exactly(sum(tallies, Tally::scheduled)),
        oldest(tallies));
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
    boolean partial = facts.pending() != null;
    return new Group(
        name,
        new Count(sum(tallies, Tally::backlog), partial),
        new Count(sum(tallies, Tally::scheduled), partial),
        new Count(sum(tallies, Tally::failedPending), partial),
        new Count(sum(tallies, Tally::dead), facts.dead() != null),
        age(oldest(tallies), facts.at()));
  }

  private static long sum(Collection<Tally> tallies, ToLongFunction<Tally> value) {
    return tallies.stream().mapToLong(value).sum();
  }

  private static @Nullable Instant oldest(Collection<Tally> tallies) {
    return tallies.stream()
        .map(Tally::oldest)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static Duration age(@Nullable Instant since, Instant now) {
    return since == null || since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
  }

  /** The messages of one topic, or of one tenant. */
  public record Group(
      String name,
      Count backlog,
      Count scheduled,
      Count failedPending,
      Count dead,
      Duration oldestAge) {

    long trouble() {
      return failedPending.value() + dead.value();
    }
  }
}
