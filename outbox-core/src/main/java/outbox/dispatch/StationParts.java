package outbox.dispatch;

import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.NodeSignal;
import outbox.spi.TransactionRunner;

/**
 * What a station is made of.
 *
 * @param name the store's identifier in logs and metrics; empty if there is only one store
 * @param leasing whether the store knows leases
 */
record StationParts(
    String name,
    ConnectionProvider connections,
    LeasedEventStore store,
    boolean leasing,
    OwnerTokens tokens,
    InFlightTracker tracker,
    @Nullable TransactionRunner transactions,
    @Nullable NodeSignal signal) {}
