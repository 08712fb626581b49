/**
 * What an integrator implements: transactions, connections, stores, metrics. Depends on the
 * envelope and the model only.
 */
@NullMarked
package outbox.spi;

import org.jspecify.annotations.NullMarked;
