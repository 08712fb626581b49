package outbox.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Presence;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.spi.StoreException;

/**
 * Keeps an eye on one database: how it is now, and how it was in the last hour. However many
 * clients look, one of them at a time asks the database, at most once in two seconds. A client that
 * waits for a database without an answer holds up no other.
 */
final class Watch {
  private static final Duration FRESH = Duration.ofSeconds(2);

  /** A look is several statements, each of which may take the time limit. */
  private static final int STATEMENTS = 3;

  /** How long the last good sample stands in for one that is late. */
  private static final Duration KEPT = Duration.ofSeconds(30);

  private final OperatedDatabase database;
  private final HealthThresholds thresholds;
  private final Duration patience;
  private final Trouble trouble;
  private final Fresh<Sample> samples;
  private final Fresh<Presence> presence;
  private final Fresh<String> product;
  private final Fresh<DatabaseFacts> facts;
  private final History history = new History();
  private volatile @Nullable Kept kept;

  /**
   * @param looks looks at the database for those who wait
   */
  Watch(OperatedDatabase database, HealthThresholds thresholds, Executor looks) {
    this.database = database;
    this.thresholds = thresholds;
    this.patience = database.timeLimit().multipliedBy(STATEMENTS);
    this.trouble = new Trouble(database.name());
    this.samples = new Fresh<>(FRESH, patience, this::look, looks);
    this.presence = new Fresh<>(Duration.ofMinutes(1), patience, database::presence);
    this.product = new Fresh<>(Duration.ofMinutes(1), patience, database::product);
    this.facts = new Fresh<>(Duration.ofSeconds(15), patience, database::facts);
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

  /** Begins to look, unless another caller does or just did. */
  Asked ask() {
    return new Asked(this, samples.ask());
  }

  /** How it is; a database that shows nothing in time is unhealthy, which is no error here. */
  Sample sample() {
    return ask().sample();
  }

  private Sample await(Fresh.Look<Sample> look) {
    Kept last = kept;
    Sample recent = last == null ? null : last.recent();
    try {
      return look.await(recent == null ? patience : database.timeLimit());
    } catch (TimeoutException e) {
      return recent == null ? Sample.UNANSWERED : recent.standingIn();
    } catch (ExecutionException e) {
      trouble.failed(e.getCause());
      return Sample.FAILED;
    }
  }

  private Sample look() {
    long now = System.nanoTime();
    try {
      Presence tables = presence();
      if (!tables.outbox() && !tables.inbox()) {
        trouble.noTables();
        return Sample.NO_TABLES;
      }
      Sample sample = sampleOf(tables, now);
      trouble.over();
      kept = new Kept(sample);
      return sample;
    } catch (StoreException e) {
      trouble.failed(e);
      return Sample.UNANSWERED;
    } catch (RuntimeException e) {
      trouble.failed(e);
      return Sample.FAILED;
    }
  }

  private Sample sampleOf(Presence tables, long now) {
    MetricsSnapshot shown =
        tables.outbox() ? database.snapshot(thresholds) : database.inboxSnapshot(thresholds);
    Health health = Health.of(shown, thresholds);
    if (tables.outbox() && tables.inbox()) {
      health = health.and(Health.of(database.inboxSnapshot(thresholds), thresholds).named("inbox"));
    }
    return new Sample(shown, health, tables, product.get(), now, false);
  }

  /** Adds how it is, once that is known, to what is remembered; waits for nothing. */
  void remember() {
    var unused =
        samples
            .ask()
            .value()
            .whenComplete(
                (sample, failure) -> {
                  if (failure != null) {
                    trouble.failed(failure);
                  } else if (sample.snapshot() != null) {
                    history.add(sample.snapshot());
                  }
                });
  }

  List<MetricsSnapshot> history() {
    return history.all();
  }

  /** A look that has been asked for, and whose outcome can be waited for. */
  record Asked(Watch watch, Fresh.Look<Sample> look) {
    String name() {
      return watch.name();
    }

    /** Its outcome, or what stands in for it. */
    Sample sample() {
      return watch.await(look);
    }
  }

  private record Kept(Sample sample) {
    @Nullable Sample recent() {
      return sample.age().compareTo(KEPT) < 0 ? sample : null;
    }
  }
}
