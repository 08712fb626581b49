package outbox.admin.json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.NodeRow;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.admin.metrics.MetricsSnapshot.Group;

/** Figures as JSON. */
public final class StateJson {
  private StateJson() {}

  /**
   * How a queue is.
   *
   * @param groups how many topics, and how many tenants, at the most; those with most trouble come
   *     first
   */
  public static JsonObject state(MetricsSnapshot snapshot, Health health, int groups) {
    return new JsonObject()
        .put("at", snapshot.at())
        .put("health", health(health))
        .put("snapshot", snapshot(snapshot))
        .put("topics", groups("topic", snapshot.topics(), groups))
        .put("tenants", groups("tenant", snapshot.tenants(), groups));
  }

  /** A verdict. */
  public static JsonObject health(Health health) {
    return new JsonObject().put("status", health.status()).put("reasons", health.reasons());
  }

  private static JsonObject snapshot(MetricsSnapshot snapshot) {
    return new JsonObject()
        .put("backlog", snapshot.backlog())
        .put("failedPending", snapshot.failedPending())
        .put("oldFailures", snapshot.oldFailures())
        .put("dead", snapshot.dead())
        .put("leased", snapshot.leased())
        .put("scheduled", snapshot.scheduled())
        .put("oldestAgeMs", snapshot.oldestAge().toMillis())
        .put("throughputPerSecond", snapshot.activity().throughputPerSecond())
        .put("failuresPerSecond", snapshot.activity().failuresPerSecond())
        .put("failureRatio", snapshot.activity().failureRatio())
        .put("windowMs", snapshot.activity().window().toMillis());
  }

  private static List<JsonObject> groups(String name, List<Group> groups, int most) {
    return groups.stream().limit(most).map(group -> group(name, group)).toList();
  }

  private static JsonObject group(String name, Group group) {
    return new JsonObject()
        .put(name, group.name().isEmpty() ? null : group.name())
        .put("backlog", group.backlog())
        .put("scheduled", group.scheduled())
        .put("failedPending", group.failedPending())
        .put("dead", group.dead())
        .put("oldestAgeMs", group.oldestAge().toMillis());
  }

  /** A point of a chart. */
  public static JsonObject point(MetricsSnapshot snapshot) {
    return new JsonObject()
        .put("at", snapshot.at())
        .put("backlog", snapshot.backlog().value())
        .put("scheduled", snapshot.scheduled().value())
        .put("dead", snapshot.dead().value())
        .put("processedPerSecond", snapshot.activity().throughputPerSecond())
        .put("failedPerSecond", snapshot.activity().failuresPerSecond())
        .put("oldestAgeMs", snapshot.oldestAge().toMillis());
  }

  /**
   * Processes that hold leases.
   *
   * @param now by the database's clock
   */
  public static List<JsonObject> nodes(List<NodeRow> nodes, Instant now) {
    return nodes.stream()
        .map(
            node ->
                new JsonObject()
                    .put("owner", node.owner())
                    .put("leases", node.leases())
                    .put(
                        "oldestEventMs",
                        Math.max(0, Duration.between(node.oldest(), now).toMillis()))
                    .put("nextExpiry", node.nextExpiry()))
        .toList();
  }

  /** Null if nothing is known. */
  public static @Nullable JsonObject facts(DatabaseFacts facts) {
    if (facts.equals(DatabaseFacts.UNKNOWN)) {
      return null;
    }
    return new JsonObject()
        .put("deadTuples", facts.deadTuples())
        .put(
            "oldestSnapshotMs",
            facts.oldestSnapshot() == null ? null : facts.oldestSnapshot().toMillis())
        .put("tableBytes", facts.tableBytes())
        .put("indexBytes", facts.indexBytes());
  }
}
