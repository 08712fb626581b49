/**
 * What a queue looks like to those who operate it: counts, ages, rates and a verdict. Pure
 * computations over the facts that one look into a database brought; knows neither SQL nor the
 * engine.
 */
@NullMarked
package outbox.metrics;

import org.jspecify.annotations.NullMarked;
