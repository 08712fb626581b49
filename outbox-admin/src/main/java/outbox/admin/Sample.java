package outbox.admin;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.Presence;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.MetricsSnapshot;

/**
 * What one look at a database brought.
 *
 * @param snapshot null if it showed none
 * @param product what the database calls itself; null if it showed nothing
 * @param lookedAt when the look began, as {@link System#nanoTime}
 * @param late whether it stands in for a newer look that has not come to an end
 */
record Sample(
    @Nullable MetricsSnapshot snapshot,
    Health health,
    Presence presence,
    @Nullable String product,
    long lookedAt,
    boolean late) {

  /** Nothing, in time. */
  static final Sample UNANSWERED = unhealthy("the database does not answer");

  /** Something went wrong that is none of the database's own errors. */
  static final Sample FAILED =
      unhealthy("the database cannot be looked at; the log says why (OUTBOX_ADMIN_LOOK_FAILED)");

  /** Nothing to look at. */
  static final Sample NO_TABLES = unhealthy("the database has none of the tables");

  private static Sample unhealthy(String reason) {
    return new Sample(
        null, Health.unreachable(reason), new Presence(false, false, false), null, 0, false);
  }

  /** Returns a copy that stands in for a look that has not ended. */
  Sample standingIn() {
    return new Sample(snapshot, health, presence, product, lookedAt, true);
  }

  /** Why there are no figures, or none of now; null if nothing is wrong with the look. */
  @Nullable String trouble() {
    if (late) {
      return UNANSWERED.trouble();
    }
    return snapshot == null ? health.reasons().get(0) : null;
  }

  Duration age() {
    return Duration.ofNanos(System.nanoTime() - lookedAt);
  }
}
