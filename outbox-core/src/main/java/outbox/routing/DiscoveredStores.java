package outbox.routing;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The stores of the databases that a discovery finds. The first look is taken at construction; one
 * that fails leaves what is there and is logged once until a later one succeeds. Thread-safe.
 */
final class DiscoveredStores implements OutboxStoreProvider {
  private static final Logger LOG = System.getLogger(OutboxDatabaseDiscovery.class.getName());

  private final OutboxDatabaseDiscovery discovery;
  private final Function<OutboxDatabase, OutboxStore> factory;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService timer;
  private volatile Map<OutboxDatabase, OutboxStore> known = Map.of();
  private boolean failing;

  DiscoveredStores(
      OutboxDatabaseDiscovery discovery,
      Duration interval,
      Function<OutboxDatabase, OutboxStore> factory) {
    if (interval.isZero() || interval.isNegative()) {
      throw new IllegalArgumentException(
          "discovery interval (" + interval + ") must be longer than zero");
    }
    this.discovery = discovery;
    this.factory = factory;
    this.timer = Executors.newSingleThreadScheduledExecutor(DiscoveredStores::thread);
    refresh();
    long nanos = interval.toNanos();
    var unused = timer.scheduleWithFixedDelay(this::refresh, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private static Thread thread(Runnable body) {
    Thread thread = new Thread(body, "outbox-discovery");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public List<OutboxStore> stores() {
    return List.copyOf(known.values());
  }

  @Override
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** Looks once, and tells whoever listens if something has changed. */
  private synchronized void refresh() {
    try {
      Map<OutboxDatabase, OutboxStore> before = known;
      known = storesOf(Identifiers.distinct(found(), OutboxDatabase::identifier));
      if (failing) {
        failing = false;
        LOG.log(Level.INFO, "discovery of databases works again count={0}", known.size());
      }
      if (!known.keySet().equals(before.keySet())) {
        LOG.log(Level.INFO, "databases discovered before={0} now={1}", before.size(), known.size());
        listeners.forEach(Runnable::run);
      }
    } catch (Throwable e) {
      if (!failing) {
        failing = true;
        LOG.log(
            Level.ERROR, "discovery of databases failed, keeping those known=" + known.size(), e);
      }
    }
  }

  private List<OutboxDatabase> found() throws Exception {
    return new ArrayList<>(discovery.discoverDatabases());
  }

  private Map<OutboxDatabase, OutboxStore> storesOf(List<OutboxDatabase> databases) {
    Map<OutboxDatabase, OutboxStore> stores = new LinkedHashMap<>();
    for (OutboxDatabase database : databases) {
      OutboxStore present = known.get(database);
      stores.put(database, present != null ? present : factory.apply(database));
    }
    return stores;
  }

  /** Waits for a look under way, which may take as long as the discovery does. */
  @Override
  public void close() {
    timer.shutdownNow();
  }
}
