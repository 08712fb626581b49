package outbox.admin;

import org.jspecify.annotations.Nullable;
import outbox.admin.data.Presence;
import outbox.metrics.Health;
import outbox.metrics.MetricsSnapshot;

/**
 * What one look at a database brought.
 *
 * @param snapshot null if it did not answer
 * @param product what the database calls itself; null if it did not answer
 */
record Sample(
    @Nullable MetricsSnapshot snapshot,
    Health health,
    Presence presence,
    @Nullable String product) {

  /** Nothing, in time. */
  static final Sample UNANSWERED =
      new Sample(
          null,
          Health.unreachable("the database does not answer"),
          new Presence(false, false, false),
          null);
}
