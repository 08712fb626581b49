package outbox.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.NodeRow;
import outbox.metrics.Count;
import outbox.metrics.Health;
import outbox.metrics.MetricsSnapshot;
import outbox.metrics.MetricsSnapshot.Group;

/** Figures as JSON, under the names that the HTTP interface has for the same. */
final class StateJson {
  private StateJson() {}

  static JsonFields of(MetricsSnapshot snapshot, Health health) {
    return new JsonFields()
        .put("at", snapshot.at())
        .put("health", health.status())
        .put("reasons", health.reasons())
        .put("backlog", count(snapshot.backlog()))
        .put("failedPending", count(snapshot.failedPending()))
        .put("oldFailures", count(snapshot.oldFailures()))
        .put("leased", count(snapshot.leased()))
        .put("scheduled", count(snapshot.scheduled()))
        .put("dead", count(snapshot.dead()))
        .put("oldestAgeMs", snapshot.oldestAge().toMillis())
        .put("throughputPerSecond", snapshot.activity().throughputPerSecond())
        .put("failuresPerSecond", snapshot.activity().failuresPerSecond())
        .put("failureRatio", snapshot.activity().failureRatio())
        .put("windowMs", snapshot.activity().window().toMillis())
        .put("topics", groups("topic", snapshot.topics()));
  }

  static List<Map<String, @Nullable Object>> groups(String name, List<Group> groups) {
    return groups.stream()
        .map(
            group ->
                new JsonFields()
                    .put(name, group.name().isEmpty() ? null : group.name())
                    .put("backlog", count(group.backlog()))
                    .put("failedPending", count(group.failedPending()))
                    .put("dead", count(group.dead()))
                    .put("oldestAgeMs", group.oldestAge().toMillis())
                    .map())
        .toList();
  }

  private static Map<String, @Nullable Object> count(Count count) {
    return new JsonFields().put("value", count.value()).put("atLeast", count.atLeast()).map();
  }

  static Map<String, @Nullable Object> of(DatabaseFacts facts) {
    return new JsonFields()
        .put("deadTuples", facts.deadTuples())
        .put(
            "oldestSnapshotMs",
            facts.oldestSnapshot() == null ? null : facts.oldestSnapshot().toMillis())
        .put("tableBytes", facts.tableBytes())
        .put("indexBytes", facts.indexBytes())
        .map();
  }

  static List<Map<String, @Nullable Object>> nodes(List<NodeRow> nodes) {
    return nodes.stream()
        .map(
            node ->
                new JsonFields()
                    .put("owner", node.owner())
                    .put("leases", node.leases())
                    .put("oldest", node.oldest())
                    .put("nextExpiry", node.nextExpiry())
                    .map())
        .toList();
  }
}
