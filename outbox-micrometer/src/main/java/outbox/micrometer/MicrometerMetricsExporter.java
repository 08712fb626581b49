package outbox.micrometer;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/**
 * Counts and measures the engine in a {@link MeterRegistry}. Thread-safe.
 *
 * <p>The number of time series is bounded: the first topics get a tag of their own, all others
 * share {@value TopicTimers#OTHER}.
 */
public final class MicrometerMetricsExporter implements MetricsExporter {
  /** Topics with a tag of their own by default: {@value}. */
  public static final int DEFAULT_MAX_TOPICS = 100;

  private final Counter hotEnqueued;
  private final Counter coldEnqueued;
  private final Counter hotDropped;
  private final Counter successes;
  private final Counter failures;
  private final Counter dead;
  private final Counter leasesLost;
  private final AtomicInteger hotDepth = new AtomicInteger();
  private final AtomicInteger coldDepth = new AtomicInteger();
  private final AtomicLong oldestLagMs = new AtomicLong();
  private final Set<String> storesDown = ConcurrentHashMap.newKeySet();
  private final Timer claims;
  private final Timer flushes;
  private final TopicTimers timers;

  private MicrometerMetricsExporter(Builder setup) {
    Meters meters = new Meters(setup.registry, setup.tags);
    this.hotEnqueued = meters.counter("outbox.enqueued", "Events queued", "lane", "hot");
    this.coldEnqueued = meters.counter("outbox.enqueued", "Events queued", "lane", "cold");
    this.hotDropped =
        meters.counter("outbox.hot.dropped", "Events without room in memory, left to the poller");
    this.successes = meters.dispatched("success");
    this.failures = meters.dispatched("failure");
    this.dead = meters.dispatched("dead");
    this.leasesLost =
        meters.counter("outbox.lease.lost", "Events taken by another node before their end");
    meters.gauge("outbox.queue.depth", "Events waiting in memory", hotDepth, "lane", "hot");
    meters.gauge("outbox.queue.depth", "Events waiting in memory", coldDepth, "lane", "cold");
    TimeGauge.builder("outbox.oldest.lag", oldestLagMs, TimeUnit.MILLISECONDS, AtomicLong::get)
        .description("Age of the oldest event of the last claim")
        .tags(setup.tags)
        .register(setup.registry);
    Gauge.builder("outbox.stores.down", storesDown, Set::size)
        .description("Databases that do not answer")
        .tags(setup.tags)
        .register(setup.registry);
    this.claims = meters.timer("outbox.claim", "How long claims of due events took");
    this.flushes = meters.timer("outbox.flush", "How long outcomes took to store, many at once");
    this.timers = new TopicTimers(setup.registry, setup.tags, setup.maxTopics);
  }

  /** An exporter without further tags. */
  public static MicrometerMetricsExporter of(MeterRegistry registry) {
    return builder(registry).build();
  }

  /** Starts a builder of an exporter to this registry. */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  @Override
  public void incrementHotEnqueued() {
    hotEnqueued.increment();
  }

  @Override
  public void incrementHotDropped() {
    hotDropped.increment();
  }

  @Override
  public void incrementColdEnqueued() {
    coldEnqueued.increment();
  }

  @Override
  public void incrementDispatchSuccess() {
    successes.increment();
  }

  @Override
  public void incrementDispatchFailure() {
    failures.increment();
  }

  @Override
  public void incrementDispatchDead() {
    dead.increment();
  }

  @Override
  public void incrementLeaseLost() {
    leasesLost.increment();
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    this.hotDepth.set(hotDepth);
    this.coldDepth.set(coldDepth);
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    oldestLagMs.set(lagMs);
  }

  @Override
  public void recordOutage(String store, boolean down) {
    if (down) {
      storesDown.add(store);
    } else {
      storesDown.remove(store);
    }
  }

  @Override
  public void recordDelivery(DeliveryRecord delivery) {
    timers.record(delivery);
  }

  @Override
  public void recordClaim(int events, Duration took) {
    claims.record(took);
  }

  @Override
  public void recordFlush(int events, Duration took) {
    flushes.record(took);
  }

  /** Registers meters that share their tags. */
  private record Meters(MeterRegistry registry, Tags tags) {

    Counter counter(String name, String description, String... more) {
      return Counter.builder(name).description(description).tags(tags.and(more)).register(registry);
    }

    Counter dispatched(String outcome) {
      return counter("outbox.dispatched", "Deliveries by their outcome", "outcome", outcome);
    }

    Timer timer(String name, String description) {
      return Timer.builder(name).description(description).tags(tags).register(registry);
    }

    void gauge(String name, String description, Number value, String... more) {
      Gauge.builder(name, () -> value)
          .description(description)
          .tags(tags.and(more))
          .strongReference(true)
          .register(registry);
    }
  }

  /** Collects the options of an exporter. Not thread-safe. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private int maxTopics = DEFAULT_MAX_TOPICS;

    private Builder(MeterRegistry registry) {
      this.registry = requireNonNull(registry, "registry");
    }

    /** A tag of every meter; tells the engines of one process apart. */
    public Builder tag(String key, String value) {
      this.tags = tags.and(Tag.of(key, value));
      return this;
    }

    /** How many topics get a tag of their own; the rest share one. */
    public Builder maxTopics(int maxTopics) {
      if (maxTopics < 0) {
        throw new IllegalArgumentException("maxTopics (" + maxTopics + ") must not be negative");
      }
      this.maxTopics = maxTopics;
      return this;
    }

    /** Builds the exporter and registers its meters. */
    public MicrometerMetricsExporter build() {
      return new MicrometerMetricsExporter(this);
    }
  }
}
