package outbox.dispatch;

import org.jspecify.annotations.Nullable;
import outbox.routing.OutboxStore;
import outbox.spi.NodeSignal;

/**
 * What a store is made of.
 *
 * @param name the store's identifier in logs and metrics; empty if there is only one store
 * @param leasing whether the store knows leases
 */
record StoreSetup(
    String name,
    OutboxStore store,
    boolean leasing,
    OwnerTokens tokens,
    InFlightTracker tracker,
    @Nullable NodeSignal signal) {}
