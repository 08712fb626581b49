/**
 * What client, dispatcher and poller must do on a store: {@link
 * outbox.contracts.engine.EngineContract}. Depends on {@code outbox.contracts.store} for the rows
 * of a store.
 */
@NullMarked
package outbox.contracts.engine;

import org.jspecify.annotations.NullMarked;
