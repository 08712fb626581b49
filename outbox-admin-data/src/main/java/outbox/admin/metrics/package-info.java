/**
 * What a queue looks like to those who operate it: counts, ages, a verdict and Prometheus' text.
 * The dashboard, the command line and the starter call it. Pure computations over the facts that
 * one look into a database brought; knows neither SQL nor the engine. Depends on {@code
 * outbox.metrics} only; immutable values without threads.
 */
@NullMarked
package outbox.admin.metrics;

import org.jspecify.annotations.NullMarked;
