package outbox.routing;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Knows all stores that a dispatcher serves: one, a fixed number of them, or those that a discovery
 * finds from time to time. Thread-safe.
 */
public interface OutboxStoreProvider extends AutoCloseable {

  /**
   * The stores at present, in a stable order; a database that is still there keeps its instance.
   */
  List<OutboxStore> stores();

  /** Names a store in logs, metrics and the router; always the same for the same store. */
  default String identifierOf(OutboxStore store) {
    return store.identifier();
  }

  /**
   * Registers a callback that runs after {@link #stores} has changed, until this provider is
   * closed. The dispatcher that registers it drains and closes the stores that were removed.
   */
  default void onChange(Runnable listener) {}

  /** Stops looking for changes. The dispatcher that serves the stores closes them. */
  @Override
  default void close() {}

  /** A single store. */
  static OutboxStoreProvider of(OutboxStore store) {
    return of(List.of(store));
  }

  /**
   * Stores that never change.
   *
   * @throws IllegalArgumentException if two have the same identifier
   */
  static OutboxStoreProvider of(Collection<OutboxStore> stores) {
    List<OutboxStore> all = Identifiers.distinct(stores, OutboxStore::identifier);
    return () -> all;
  }

  /**
   * Stores of the databases that a discovery finds, now and then again at every interval, on a
   * thread of its own.
   *
   * @param factory makes the store of a database that is new or has changed
   */
  static OutboxStoreProvider discovered(
      OutboxDatabaseDiscovery discovery,
      Duration interval,
      Function<OutboxDatabase, OutboxStore> factory) {
    return new DiscoveredStores(
        requireNonNull(discovery, "discovery"),
        requireNonNull(interval, "interval"),
        requireNonNull(factory, "factory"));
  }
}
