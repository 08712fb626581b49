package outbox.internal.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import outbox.Outbox;
import outbox.routing.OutboxRouter;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;

/**
 * The stores that a provider has, each served by the engine as long as it is there. Thread-safe.
 */
public final class ServedStores implements OutboxRouter {
  private final OutboxStoreProvider provider;
  private final BiFunction<String, OutboxStore, StoreSetup> setup;
  private final Engine engine;
  private volatile Map<String, ServedStore> stores = Map.of();

  /**
   * Serves what the provider has.
   *
   * @param setup makes the parts of a store by its identifier
   */
  public ServedStores(
      OutboxStoreProvider provider,
      BiFunction<String, OutboxStore, StoreSetup> setup,
      Engine engine) {
    this.provider = provider;
    this.setup = setup;
    this.engine = engine;
    provider.onChange(this::refresh);
    refresh();
  }

  /** Takes up what the provider has more than before, and retires what it has no longer. */
  private synchronized void refresh() {
    if (engine.isClosing()) {
      return;
    }
    Map<String, ServedStore> before = stores;
    Map<String, ServedStore> now = new LinkedHashMap<>();
    List<ServedStore> added = new ArrayList<>();
    for (OutboxStore store : provider.stores()) {
      String name = provider.identifierOf(store);
      ServedStore present = before.get(name);
      if (present == null || present.store() != store) {
        present = new ServedStore(engine.workers(), engine.runtime(setup.apply(name, store)));
        added.add(present);
      }
      now.put(name, present);
    }
    stores = now;
    added.forEach(store -> engine.serve(store.runtime()));
    if (engine.workers().config().isPollerEnabled()) {
      added.forEach(ServedStore::startPolling);
    }
    before.values().stream()
        .filter(store -> !now.containsValue(store))
        .forEach(store -> engine.retire(store.runtime()));
  }

  @Override
  public Outbox getOutbox(String key) {
    return get(key).outbox();
  }

  public ServedStore get(String key) {
    ServedStore store = stores.get(key);
    if (store == null) {
      throw new IllegalStateException(
          "no outbox for key "
              + key
              + "; "
              + stores.size()
              + " keys are known, each the identifier of a store");
    }
    return store;
  }

  public List<OutboxStore> stores() {
    return stores.values().stream().map(ServedStore::store).toList();
  }

  /** Closes the provider, and with it the engine and the stores. */
  public void close() {
    if (engine.beginClose()) {
      try {
        provider.close();
      } finally {
        engine.close(settled());
      }
    }
  }

  /** No refresh is under way, and none begins, once this has the lock. */
  private synchronized List<StoreRuntime> settled() {
    return stores.values().stream().map(ServedStore::runtime).toList();
  }
}
