package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.metrics.HealthThresholds;

/** The databases by name, and the threads that look at each now and then. */
final class Watches implements AutoCloseable {
  private static final int MAX_THREADS = 4;
  private static final int MAX_NAMED = 20;
  private static final int CLOSE_SECONDS = 10;
  private static final Logger LOG = System.getLogger(Watches.class.getName());

  private final Map<String, Watch> watches = new LinkedHashMap<>();
  private final ScheduledExecutorService clock;

  Watches(List<OperatedDatabase> databases, HealthThresholds thresholds, Duration interval) {
    databases.forEach(it -> watches.put(it.name(), new Watch(it, thresholds)));
    clock =
        Executors.newScheduledThreadPool(
            Math.min(MAX_THREADS, databases.size()),
            task -> {
              Thread thread = new Thread(task, "outbox-admin-watch");
              thread.setDaemon(true);
              return thread;
            });
    long millis = interval.toMillis();
    long step = millis / watches.size();
    long delay = 0;
    for (Watch watch : watches.values()) {
      var unused =
          clock.scheduleWithFixedDelay(() -> remember(watch), delay, millis, TimeUnit.MILLISECONDS);
      delay += step;
    }
  }

  private static void remember(Watch watch) {
    try {
      watch.remember();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "OUTBOX_ADMIN_WATCH_FAILED database=" + watch.name(), e);
    }
  }

  Collection<Watch> all() {
    return watches.values();
  }

  /**
   * The one of this name; without a name the only one.
   *
   * @throws Problem if there is none, or more than one to choose from
   */
  Watch find(@Nullable String name) {
    Watch watch = name == null && watches.size() == 1 ? all().iterator().next() : watches.get(name);
    if (watch == null) {
      throw Problem.invalid(
          "db",
          (name == null ? "Say which database is meant" : "There is no such database")
              + ", as parameter db: "
              + names()
              + ".");
    }
    return watch;
  }

  private String names() {
    return watches.keySet().stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
        + (watches.size() > MAX_NAMED ? " …" : "");
  }

  /** Waits for the look at hand, but not long; no interrupt, which closes a file of H2. */
  @Override
  public void close() {
    clock.shutdown();
    try {
      if (!clock.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(Level.WARNING, "OUTBOX_ADMIN_WATCH_LEFT after=" + CLOSE_SECONDS + "s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
