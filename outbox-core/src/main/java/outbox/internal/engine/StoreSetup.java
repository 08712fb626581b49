package outbox.internal.engine;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.lease.OwnerTokens;
import outbox.routing.OutboxStore;
import outbox.spi.NodeSignal;

/**
 * What a store is made of.
 *
 * @param name the store's identifier in logs and metrics; empty if there is only one store
 * @param leasing whether the store knows leases
 * @param tryAcquire whether an event may be taken in, by its id
 * @param release called when an event leaves that was taken in
 */
public record StoreSetup(
    String name,
    OutboxStore store,
    boolean leasing,
    OwnerTokens tokens,
    Predicate<String> tryAcquire,
    Consumer<String> release,
    @Nullable NodeSignal signal) {}
