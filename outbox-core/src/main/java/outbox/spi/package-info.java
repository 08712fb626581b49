/**
 * What an integrator implements: transactions, connections, stores, metrics, propagation. {@link
 * outbox.spi.TransactionWatch} helps to implement a {@link outbox.spi.TxContext}. The engine, the
 * queue, the inbox and the joins call it; each type says on which threads. Depends on the envelope,
 * the model and {@code outbox.internal}'s connections and watch.
 */
@NullMarked
package outbox.spi;

import org.jspecify.annotations.NullMarked;
