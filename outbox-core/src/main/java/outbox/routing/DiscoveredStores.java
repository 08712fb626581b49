package outbox.routing;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stores of the databases that a discovery finds. The first look is taken at construction. A
 * look that fails leaves what is there, is logged once until a later one succeeds, and is repeated
 * sooner than at the next interval. Thread-safe.
 */
final class DiscoveredStores implements OutboxStoreProvider {
  private static final Logger LOG = System.getLogger(OutboxDatabaseDiscovery.class.getName());
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  private final OutboxDatabaseDiscovery discovery;
  private final Duration interval;
  private final Function<OutboxDatabase, OutboxStore> factory;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final HandedOut stores = new HandedOut();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;

  /** Of the looks, which one thread takes after the other. */
  private Map<OutboxDatabase, OutboxStore> known = Map.of();

  private Duration retry = FIRST_RETRY;
  private boolean failing;
  private boolean unannounced;

  DiscoveredStores(
      OutboxDatabaseDiscovery discovery,
      Duration interval,
      Function<OutboxDatabase, OutboxStore> factory) {
    if (interval.isZero() || interval.isNegative()) {
      throw new IllegalArgumentException(
          "discovery interval (" + interval + ") must be longer than zero");
    }
    this.discovery = discovery;
    this.interval = interval;
    this.factory = factory;
    Duration first = look();
    this.thread = new Thread(() -> lookAgain(first), "outbox-discovery");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public List<OutboxStore> stores() {
    return stores.handOut();
  }

  @Override
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  private void lookAgain(Duration first) {
    Duration pause = first;
    try {
      while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
        pause = look();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Looks once, and tells its listeners of a change; returns how long to wait after that. */
  private Duration look() {
    try {
      List<OutboxDatabase> found =
          Identifiers.distinct(
              new ArrayList<>(discovery.discoverDatabases()), OutboxDatabase::identifier);
      Throwable failure = takeUp(found);
      announce();
      if (failure == null) {
        succeeded();
        return interval;
      }
      return failed(failure);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /** Makes the stores of new databases; one that cannot be made keeps no other one waiting. */
  private @Nullable Throwable takeUp(List<OutboxDatabase> found) {
    Map<OutboxDatabase, OutboxStore> now = new LinkedHashMap<>();
    Throwable failure = null;
    for (OutboxDatabase database : found) {
      OutboxStore present = known.get(database);
      try {
        now.put(database, present != null ? present : factory.apply(database));
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
    if (!now.keySet().equals(known.keySet())) {
      LOG.log(Level.INFO, "databases discovered before={0} now={1}", known.size(), now.size());
      unannounced = true;
    }
    known = now;
    stores.replace(now.values());
    return failure;
  }

  /** A listener that throws is told again at the next look. */
  private void announce() {
    if (unannounced) {
      listeners.forEach(Runnable::run);
      unannounced = false;
    }
  }

  private void succeeded() {
    retry = FIRST_RETRY;
    if (failing) {
      failing = false;
      LOG.log(Level.INFO, "discovery of databases works again count={0}", known.size());
    }
  }

  private Duration failed(Throwable error) {
    if (!failing && closed.getCount() > 0) {
      failing = true;
      LOG.log(
          Level.ERROR, "discovery of databases failed, keeping those known=" + known.size(), error);
    }
    Duration pause = retry.compareTo(interval) < 0 ? retry : interval;
    retry = pause.multipliedBy(2);
    return pause;
  }

  /**
   * Ends a look under way, waiting for a while, and closes the stores that were never handed out.
   */
  @Override
  public void close() {
    closed.countDown();
    if (Thread.currentThread() != thread) {
      thread.interrupt();
      try {
        thread.join(CLOSE_LIMIT.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    stores.close();
  }
}
