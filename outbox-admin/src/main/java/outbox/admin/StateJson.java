package outbox.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.DatabaseFacts;
import outbox.metrics.Health;
import outbox.metrics.MetricsSnapshot;
import outbox.metrics.MetricsSnapshot.Group;

/** Figures as JSON. */
final class StateJson {
  private static final int MAX_GROUPS = 50;

  private StateJson() {}

  static JsonObject health(Health health) {
    return new JsonObject().put("status", health.status()).put("reasons", health.reasons());
  }

  static JsonObject snapshot(MetricsSnapshot snapshot) {
    return new JsonObject()
        .put("backlog", snapshot.backlog())
        .put("failedPending", snapshot.failedPending())
        .put("oldFailures", snapshot.oldFailures())
        .put("dead", snapshot.dead())
        .put("leased", snapshot.leased())
        .put("scheduled", snapshot.scheduled())
        .put("oldestAgeMs", snapshot.oldestAge().toMillis())
        .put("throughputPerSecond", snapshot.activity().throughputPerSecond())
        .put("failureRatio", snapshot.activity().failureRatio())
        .put("windowMs", snapshot.activity().window().toMillis());
  }

  static JsonObject point(MetricsSnapshot snapshot) {
    return new JsonObject()
        .put("at", snapshot.at())
        .put("backlog", snapshot.backlog().value())
        .put("dead", snapshot.dead().value())
        .put("processedPerSecond", snapshot.activity().throughputPerSecond())
        .put("failedPerSecond", snapshot.activity().failuresPerSecond())
        .put("oldestAgeMs", snapshot.oldestAge().toMillis());
  }

  /** Those with most trouble. */
  static List<JsonObject> groups(String name, List<Group> groups) {
    return groups.stream().limit(MAX_GROUPS).map(group -> group(name, group)).toList();
  }

  private static JsonObject group(String name, Group group) {
    return new JsonObject()
        .put(name, group.name().isEmpty() ? null : group.name())
        .put("backlog", group.backlog())
        .put("failedPending", group.failedPending())
        .put("dead", group.dead())
        .put("oldestAgeMs", group.oldestAge().toMillis());
  }

  static @Nullable JsonObject facts(DatabaseFacts facts) {
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
