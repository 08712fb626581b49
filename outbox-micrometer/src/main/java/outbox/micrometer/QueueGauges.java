package outbox.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Presence;

/**
 * Shows backlog, scheduled, dead and leased messages and the oldest age of queues as gauges.
 *
 * <p>One thread takes a snapshot of each database once per interval, however many systems read the
 * gauges, and none while no system has read a gauge for two minutes. Reading a gauge asks no
 * database. A gauge is NaN while its figures are older than three intervals. Thread-safe; {@link
 * #close} ends the thread and removes the gauges.
 */
public final class QueueGauges implements AutoCloseable {
  /** How often the database is asked by default. */
  public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);

  /** Topics with a tag of their own by default: {@value}. */
  public static final int DEFAULT_MAX_TOPICS = 50;

  private static final Duration UNREAD = Duration.ofMinutes(2);

  private final Duration interval;
  private final List<QueueGauge> gauges = new ArrayList<>();
  private final AtomicLong lastRead = new AtomicLong(System.nanoTime());
  private final ScheduledExecutorService looker;

  private QueueGauges(Builder setup) {
    this.interval = setup.interval;
    this.looker =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "outbox-gauges");
              thread.setDaemon(true);
              return thread;
            });
    setup.databases.forEach(database -> watch(setup, database));
    var unused =
        looker.scheduleWithFixedDelay(this::look, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void watch(Builder setup, OperatedDatabase database) {
    Tags tags = setup.tags.and("database", database.name());
    Runnable onRead = () -> lastRead.set(System.nanoTime());
    Duration fresh = interval.multipliedBy(3);
    gauges.add(
        new QueueGauge(
            setup.registry,
            tags.and(QueueGauge.QUEUE, "outbox"),
            setup.maxTopics,
            fresh,
            onRead,
            () -> has(database).outbox() ? database.snapshot() : null));
    gauges.add(
        new QueueGauge(
            setup.registry,
            tags.and(QueueGauge.QUEUE, "inbox"),
            setup.maxTopics,
            fresh,
            onRead,
            () -> has(database).inbox() ? database.inboxSnapshot() : null));
  }

  private static Presence has(OperatedDatabase database) {
    return database.presence();
  }

  /** Creates a builder of gauges in this registry. */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /** Returns how often each database is asked. */
  public Duration interval() {
    return interval;
  }

  private void look() {
    if (System.nanoTime() - lastRead.get() < UNREAD.plus(interval).toNanos()) {
      gauges.forEach(QueueGauge::look);
    }
  }

  /**
   * Returns how many messages of a queue are due, as far as they are counted.
   *
   * @param queue {@code outbox} or {@code inbox}
   * @return empty if there is no such table, or its figures are older than three intervals
   */
  public OptionalLong backlog(String queue) {
    return gauges.stream()
        .filter(each -> each.isOf(queue))
        .map(QueueGauge::backlog)
        .filter(OptionalLong::isPresent)
        .findFirst()
        .orElse(OptionalLong.empty());
  }

  /** Ends the thread and removes the gauges. Closing twice is harmless. */
  @Override
  public void close() {
    looker.shutdownNow();
    gauges.forEach(QueueGauge::close);
  }

  /** Collects databases and options. Not thread-safe. */
  public static final class Builder {
    private final MeterRegistry registry;
    private final List<OperatedDatabase> databases = new ArrayList<>();
    private Tags tags = Tags.empty();
    private Duration interval = DEFAULT_INTERVAL;
    private int maxTopics = DEFAULT_MAX_TOPICS;

    private Builder(MeterRegistry registry) {
      this.registry = requireNonNull(registry, "registry");
    }

    /** Adds a database; its name is the tag {@code database} of its gauges. */
    public Builder database(OperatedDatabase database) {
      databases.add(requireNonNull(database, "database"));
      return this;
    }

    /** Puts a tag on every gauge. */
    public Builder tag(String key, String value) {
      this.tags = tags.and(Tag.of(key, value));
      return this;
    }

    /**
     * Sets how often each database is asked, {@link #DEFAULT_INTERVAL} by default.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder interval(Duration interval) {
      if (interval.isNegative() || interval.isZero()) {
        throw new IllegalArgumentException("interval (" + interval + ") must be positive");
      }
      this.interval = interval;
      return this;
    }

    /**
     * Sets how many topics get a tag of their own, those with most trouble first; the others are
     * summed up as {@value QueueGauge#OTHER}.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder maxTopics(int maxTopics) {
      if (maxTopics < 0) {
        throw new IllegalArgumentException("maxTopics (" + maxTopics + ") must not be negative");
      }
      this.maxTopics = maxTopics;
      return this;
    }

    /** Registers the gauges and starts to look; the first figures come within moments. */
    public QueueGauges start() {
      return new QueueGauges(this);
    }
  }
}
