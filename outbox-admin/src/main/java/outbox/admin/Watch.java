package outbox.admin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Presence;
import outbox.metrics.Health;
import outbox.metrics.HealthThresholds;
import outbox.metrics.MetricsSnapshot;
import outbox.spi.StoreException;

/**
 * Keeps an eye on one database: how it is now, and how it was in the last hour. However many people
 * look, the database is asked at most once in two seconds.
 */
final class Watch {
  static final int MAX_POINTS = 360;

  private static final Duration FRESH = Duration.ofSeconds(2);

  private final OperatedDatabase database;
  private final HealthThresholds thresholds;
  private final Trouble trouble;
  private final Fresh<Sample> samples = new Fresh<>(FRESH, this::look);
  private final Fresh<Presence> presence;
  private final Fresh<String> product;
  private final Fresh<DatabaseFacts> facts;
  private final Deque<MetricsSnapshot> history = new ArrayDeque<>();

  Watch(OperatedDatabase database, HealthThresholds thresholds) {
    this.database = database;
    this.thresholds = thresholds;
    this.trouble = new Trouble(database.name());
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

  String product() {
    return product.get();
  }

  DatabaseFacts facts() {
    return facts.get();
  }

  /** How it is; a database that shows nothing is unhealthy, which is no error here. */
  Sample sample() {
    return samples.get();
  }

  private Sample look() {
    try {
      if (!presence().outbox() && !presence().inbox()) {
        trouble.noTables();
        return new Sample(null, Health.unreachable("the database has none of the tables"));
      }
      Sample seen = presence().outbox() ? both() : inboxOnly();
      trouble.over();
      return seen;
    } catch (StoreException e) {
      trouble.failed(e);
      return new Sample(null, Health.unreachable("the database does not answer"));
    }
  }

  private Sample both() {
    MetricsSnapshot outbox = database.snapshot();
    Health health = Health.of(outbox, thresholds);
    return new Sample(
        outbox, presence().inbox() ? health.and(inboxOnly().health().named("inbox")) : health);
  }

  private Sample inboxOnly() {
    MetricsSnapshot inbox = database.inboxSnapshot();
    return new Sample(inbox, Health.of(inbox, thresholds));
  }

  /** Adds how it is now to what is remembered. */
  void remember() {
    MetricsSnapshot snapshot = sample().snapshot();
    if (snapshot != null) {
      synchronized (history) {
        history.addLast(snapshot);
        if (history.size() > MAX_POINTS) {
          history.removeFirst();
        }
      }
    }
  }

  List<MetricsSnapshot> history() {
    synchronized (history) {
      return List.copyOf(history);
    }
  }
}
