package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Presence;
import outbox.metrics.Health;
import outbox.metrics.HealthThresholds;
import outbox.metrics.MetricsSnapshot;
import outbox.spi.StoreException;

/**
 * Keeps an eye on one database: how it is now, and how it was in the last hour. However many people
 * look, the database is asked at most once in two seconds, and by one of them at a time: whoever
 * waits for one that does not answer holds up nobody else.
 */
final class Watch {
  static final int MAX_POINTS = 360;

  private static final Logger LOG = System.getLogger(Watch.class.getName());
  private static final Duration FRESH = Duration.ofSeconds(2);

  private final OperatedDatabase database;
  private final HealthThresholds thresholds;
  private final Trouble trouble;
  private final Fresh<Sample> samples;
  private final Fresh<Presence> presence;
  private final Fresh<String> product;
  private final Fresh<DatabaseFacts> facts;
  private final Deque<MetricsSnapshot> history = new ArrayDeque<>();

  /**
   * @param looks looks at the database for those who wait
   */
  Watch(OperatedDatabase database, HealthThresholds thresholds, Executor looks) {
    this.database = database;
    this.thresholds = thresholds;
    this.trouble = new Trouble(database.name());
    this.samples = new Fresh<>(FRESH, this::look, looks);
    this.presence = new Fresh<>(Duration.ofMinutes(1), database::presence);
    this.product = new Fresh<>(Duration.ofMinutes(1), database::product);
    this.facts = new Fresh<>(Duration.ofSeconds(15), database::facts);
  }

  OperatedDatabase database() {
    return database;
  }

  String name() {
    return database.name();
  }

  Presence presence() {
    return presence.get();
  }

  DatabaseFacts facts() {
    return facts.get();
  }

  /** Begins to look, unless somebody does or just did. */
  Fresh.Look<Sample> ask() {
    return samples.ask();
  }

  /** How it is; a database that shows nothing in time is unhealthy, which is no error here. */
  Sample sample() {
    Fresh.Look<Sample> look = ask();
    try {
      long patience = look.left(database.timeLimit()).toNanos();
      return look.value().get(patience, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return Sample.UNANSWERED;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a look at the database", e);
    }
  }

  private Sample look() {
    try {
      Presence tables = presence();
      if (!tables.outbox() && !tables.inbox()) {
        trouble.noTables();
        return Sample.NO_TABLES;
      }
      MetricsSnapshot shown = tables.outbox() ? database.snapshot() : database.inboxSnapshot();
      Health health = Health.of(shown, thresholds);
      if (tables.outbox() && tables.inbox()) {
        health = health.and(Health.of(database.inboxSnapshot(), thresholds).named("inbox"));
      }
      trouble.over();
      return new Sample(shown, health, tables, product.get());
    } catch (StoreException e) {
      trouble.failed(e);
      return Sample.UNANSWERED;
    }
  }

  /** Adds how it is, once that is known, to what is remembered; waits for nothing. */
  void remember() {
    var unused =
        ask()
            .value()
            .whenComplete(
                (sample, failure) -> {
                  if (failure != null) {
                    LOG.log(Level.WARNING, "OUTBOX_ADMIN_WATCH_FAILED database=" + name(), failure);
                  } else if (sample.snapshot() != null) {
                    remember(sample.snapshot());
                  }
                });
  }

  private void remember(MetricsSnapshot snapshot) {
    synchronized (history) {
      if (snapshot.equals(history.peekLast())) {
        return;
      }
      history.addLast(snapshot);
      if (history.size() > MAX_POINTS) {
        history.removeFirst();
      }
    }
  }

  List<MetricsSnapshot> history() {
    synchronized (history) {
      return List.copyOf(history);
    }
  }
}
