package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.HealthThresholds;

/**
 * The databases by name, and the threads that look at them, so that those that do not answer delay
 * no other: one for each database, and one more in case a look hangs, {@value #MAX_THREADS} at
 * most.
 */
final class Watches implements AutoCloseable {
  private static final int MAX_THREADS = 32;
  private static final int MAX_NAMED = 20;
  private static final int CLOSE_SECONDS = 10;
  private static final Logger LOG = System.getLogger(Watches.class.getName());

  private final Map<String, Watch> watches = new LinkedHashMap<>();
  private final ScheduledExecutorService clock;
  private final ThreadPoolExecutor looks;

  Watches(List<OperatedDatabase> databases, HealthThresholds thresholds, Duration interval) {
    int threads = Math.min(MAX_THREADS, 2 * databases.size());
    looks =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(),
            daemons("outbox-admin-look"));
    looks.allowCoreThreadTimeOut(true);
    databases.forEach(it -> watches.put(it.name(), new Watch(it, thresholds, looks)));
    clock = Executors.newSingleThreadScheduledExecutor(daemons("outbox-admin-clock"));
    long millis = interval.toMillis();
    long step = millis / watches.size();
    long delay = 0;
    for (Watch watch : watches.values()) {
      var unused =
          clock.scheduleWithFixedDelay(watch::remember, delay, millis, TimeUnit.MILLISECONDS);
      delay += step;
    }
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Starts a look at every database, so that a caller waits for all of them at once. */
  List<Watch.Asked> asked() {
    return watches.values().stream().map(Watch::ask).toList();
  }

  /**
   * The one that a call names; without a name the only one.
   *
   * @throws Problem if there is none, or more than one to choose from
   */
  Watch of(Call call) {
    return find(call.query().text("db"));
  }

  /**
   * The one of this name; without a name the only one.
   *
   * @throws Problem if there is none, or more than one to choose from
   */
  Watch find(@Nullable String name) {
    Watch watch =
        name == null && watches.size() == 1
            ? watches.values().iterator().next()
            : watches.get(name);
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

  /** Waits for the looks at hand, but not long; no interrupt, which closes a file of H2. */
  @Override
  public void close() {
    clock.shutdownNow();
    looks.shutdown();
    try {
      if (!looks.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.log(Level.WARNING, "OUTBOX_ADMIN_WATCH_LEFT after=" + CLOSE_SECONDS + "s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
