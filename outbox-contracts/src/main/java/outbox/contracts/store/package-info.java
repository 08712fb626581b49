/**
 * What every event store must do: {@link outbox.contracts.store.EventStoreContract}, with the rules
 * of inserts, claims, leases, fences, keys, content and time, one interface for each subject.
 * Depends on the core and on {@code outbox.contracts.support}.
 */
@NullMarked
package outbox.contracts.store;

import org.jspecify.annotations.NullMarked;
