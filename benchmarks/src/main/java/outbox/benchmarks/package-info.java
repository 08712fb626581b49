/**
 * What the outbox costs: a floor of plain inserts, a hot path written by hand and this library,
 * side by side on an embedded PostgreSQL, with the gates that the project holds itself to.
 */
@NullMarked
package outbox.benchmarks;

import org.jspecify.annotations.NullMarked;
