/**
 * What the work queue and its dead letters must do on a store: {@link
 * outbox.contracts.queue.OutboxContract}. Depends on {@code outbox.contracts.engine}.
 */
@NullMarked
package outbox.contracts.queue;

import org.jspecify.annotations.NullMarked;
