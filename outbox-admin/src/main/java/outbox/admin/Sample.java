package outbox.admin;

import org.jspecify.annotations.Nullable;
import outbox.metrics.Health;
import outbox.metrics.MetricsSnapshot;

/**
 * What one look at a database brought.
 *
 * @param snapshot null if it did not answer
 */
record Sample(@Nullable MetricsSnapshot snapshot, Health health) {}
