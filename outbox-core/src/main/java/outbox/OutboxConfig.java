package outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every setting of dispatcher and poller, with its default. Each setter checks its value and
 * returns this object; what is built from it keeps a copy. Not thread-safe.
 */
public final class OutboxConfig {
  private static final Duration LONGEST = Duration.ofDays(3650);
  private static final int DEFAULT_BATCH_SIZE = 200;
  private static final int LARGEST_BATCH = 10_000;

  private int dispatcherWorkers = 4;
  private int hotQueueCapacity = 1000;
  private int coldQueueCapacity = 1000;
  private long hotQueueBytes = 64L << 20;
  private long coldQueueBytes = 64L << 20;
  private boolean virtualThreads = false;
  private Duration leaseDuration = Duration.ofSeconds(30);
  private Duration flushInterval = Duration.ofMillis(50);
  private int flushBatchSize = 500;
  private Duration maxHandlingTime = Duration.ofMinutes(10);
  private int maxLeaseExpiries = 3;
  private Duration drainTimeout = Duration.ofSeconds(10);
  private Duration closeTimeout = Duration.ofSeconds(3);
  private Duration networkTimeout = Duration.ofSeconds(30);
  private Duration unhandledDelay = Duration.ofSeconds(2);
  private Duration unhandledMaxAge = Duration.ofDays(1);
  private boolean pollerEnabled = true;
  private long pollerIntervalMs = 5000;
  private @Nullable Integer pollerBatchSize;
  private long pollerSkipRecentMs = 1000;
  private long retryBaseDelayMs = 200;
  private long retryMaxDelayMs = 60000;
  private int retryMaxAttempts = 10;
  private boolean useExponentialBackoff = true;
  private boolean retryUnreadablePayloads = true;
  private final Map<String, Duration> maxHandlingTimeByType = new HashMap<>();

  public OutboxConfig() {}

  /** A copy that later changes to this one do not reach. */
  public OutboxConfig copy() {
    OutboxConfig copy = new OutboxConfig();
    copy.dispatcherWorkers = dispatcherWorkers;
    copy.hotQueueCapacity = hotQueueCapacity;
    copy.coldQueueCapacity = coldQueueCapacity;
    copy.hotQueueBytes = hotQueueBytes;
    copy.coldQueueBytes = coldQueueBytes;
    copy.virtualThreads = virtualThreads;
    copy.leaseDuration = leaseDuration;
    copy.flushInterval = flushInterval;
    copy.flushBatchSize = flushBatchSize;
    copy.maxHandlingTime = maxHandlingTime;
    copy.maxLeaseExpiries = maxLeaseExpiries;
    copy.drainTimeout = drainTimeout;
    copy.closeTimeout = closeTimeout;
    copy.networkTimeout = networkTimeout;
    copy.unhandledDelay = unhandledDelay;
    copy.unhandledMaxAge = unhandledMaxAge;
    copy.pollerEnabled = pollerEnabled;
    copy.pollerIntervalMs = pollerIntervalMs;
    copy.pollerBatchSize = pollerBatchSize;
    copy.pollerSkipRecentMs = pollerSkipRecentMs;
    copy.retryBaseDelayMs = retryBaseDelayMs;
    copy.retryMaxDelayMs = retryMaxDelayMs;
    copy.retryMaxAttempts = retryMaxAttempts;
    copy.useExponentialBackoff = useExponentialBackoff;
    copy.retryUnreadablePayloads = retryUnreadablePayloads;
    copy.maxHandlingTimeByType.putAll(maxHandlingTimeByType);
    return copy;
  }

  /**
   * Checks what no single setter can see.
   *
   * @throws ConflictingSettingsException if two settings contradict each other
   */
  public void validate() {
    if (leaseDuration.compareTo(flushInterval.multipliedBy(2)) <= 0) {
      throw new ConflictingSettingsException(
          "leaseDuration ("
              + leaseDuration
              + ") must be longer than twice flushInterval ("
              + flushInterval
              + "); raise leaseDuration or lower flushInterval",
          "leaseDuration",
          "flushInterval");
    }
    if (retryMaxDelayMs < retryBaseDelayMs) {
      throw new ConflictingSettingsException(
          "retryMaxDelayMs ("
              + retryMaxDelayMs
              + ") must be at least retryBaseDelayMs ("
              + retryBaseDelayMs
              + ")",
          "retryMaxDelayMs",
          "retryBaseDelayMs");
    }
  }

  /** Threads that run listeners, and so the number of events handled at once. Default: 4. */
  public int getDispatcherWorkers() {
    return dispatcherWorkers;
  }

  /** Sets what {@link #getDispatcherWorkers()} returns; returns this. */
  public OutboxConfig setDispatcherWorkers(int dispatcherWorkers) {
    this.dispatcherWorkers = atLeast("dispatcherWorkers", dispatcherWorkers, 1);
    return this;
  }

  /** Events waiting in memory after their commit. Default: 1000. */
  public int getHotQueueCapacity() {
    return hotQueueCapacity;
  }

  /** Sets what {@link #getHotQueueCapacity()} returns; returns this. */
  public OutboxConfig setHotQueueCapacity(int hotQueueCapacity) {
    this.hotQueueCapacity = atLeast("hotQueueCapacity", hotQueueCapacity, 1);
    return this;
  }

  /** Events waiting in memory after they were claimed from the database. Default: 1000. */
  public int getColdQueueCapacity() {
    return coldQueueCapacity;
  }

  /** Sets what {@link #getColdQueueCapacity()} returns; returns this. */
  public OutboxConfig setColdQueueCapacity(int coldQueueCapacity) {
    this.coldQueueCapacity = atLeast("coldQueueCapacity", coldQueueCapacity, 1);
    return this;
  }

  /** Payload bytes waiting in the hot queue. Default: 64 MiB. */
  public long getHotQueueBytes() {
    return hotQueueBytes;
  }

  /** Sets what {@link #getHotQueueBytes()} returns; returns this. */
  public OutboxConfig setHotQueueBytes(long hotQueueBytes) {
    this.hotQueueBytes = atLeast("hotQueueBytes", hotQueueBytes, 1);
    return this;
  }

  /** Payload bytes waiting in the cold queue. Default: 64 MiB. */
  public long getColdQueueBytes() {
    return coldQueueBytes;
  }

  /** Sets what {@link #getColdQueueBytes()} returns; returns this. */
  public OutboxConfig setColdQueueBytes(long coldQueueBytes) {
    this.coldQueueBytes = atLeast("coldQueueBytes", coldQueueBytes, 1);
    return this;
  }

  /** Run listeners on virtual threads; needs JDK 21 or newer. Default: false. */
  public boolean isVirtualThreads() {
    return virtualThreads;
  }

  /** Sets what {@link #isVirtualThreads()} returns; returns this. */
  public OutboxConfig setVirtualThreads(boolean virtualThreads) {
    this.virtualThreads = virtualThreads;
    return this;
  }

  /**
   * How long an event belongs to this process without renewal, and so how long a crash delays it.
   * Default: ofSeconds(30).
   */
  public Duration getLeaseDuration() {
    return leaseDuration;
  }

  /** Sets what {@link #getLeaseDuration()} returns; returns this. */
  public OutboxConfig setLeaseDuration(Duration leaseDuration) {
    this.leaseDuration = positive("leaseDuration", leaseDuration);
    return this;
  }

  /**
   * Under load, completions are collected this long and stored together; when idle, at once.
   * Default: ofMillis(50).
   */
  public Duration getFlushInterval() {
    return flushInterval;
  }

  /** Sets what {@link #getFlushInterval()} returns; returns this. */
  public OutboxConfig setFlushInterval(Duration flushInterval) {
    this.flushInterval = notNegative("flushInterval", flushInterval);
    return this;
  }

  /** Completions stored by one statement at the most. Default: 500. */
  public int getFlushBatchSize() {
    return flushBatchSize;
  }

  /** Sets what {@link #getFlushBatchSize()} returns; returns this. */
  public OutboxConfig setFlushBatchSize(int flushBatchSize) {
    if (flushBatchSize > LARGEST_BATCH) {
      throw new InvalidSettingException(
          "flushBatchSize (" + flushBatchSize + ") must not exceed " + LARGEST_BATCH,
          "flushBatchSize");
    }
    this.flushBatchSize = atLeast("flushBatchSize", flushBatchSize, 1);
    return this;
  }

  /**
   * How long a listener may run before it is interrupted and its lease is no longer renewed.
   * Default: ofMinutes(10).
   */
  public Duration getMaxHandlingTime() {
    return maxHandlingTime;
  }

  /** Sets what {@link #getMaxHandlingTime()} returns; returns this. */
  public OutboxConfig setMaxHandlingTime(Duration maxHandlingTime) {
    this.maxHandlingTime = positive("maxHandlingTime", maxHandlingTime);
    return this;
  }

  /** The longest handling time of one event type: its own, or the general one. */
  public Duration getMaxHandlingTime(String eventType) {
    return maxHandlingTimeByType.getOrDefault(eventType, maxHandlingTime);
  }

  /** Another longest handling time for one event type. */
  public OutboxConfig setMaxHandlingTime(String eventType, Duration maxHandlingTime) {
    maxHandlingTimeByType.put(
        requireNonNull(eventType, "eventType"), positive("maxHandlingTime", maxHandlingTime));
    return this;
  }

  /** How often an event may take its worker down with it before it ends DEAD. Default: 3. */
  public int getMaxLeaseExpiries() {
    return maxLeaseExpiries;
  }

  /** Sets what {@link #getMaxLeaseExpiries()} returns; returns this. */
  public OutboxConfig setMaxLeaseExpiries(int maxLeaseExpiries) {
    this.maxLeaseExpiries = atLeast("maxLeaseExpiries", maxLeaseExpiries, 1);
    return this;
  }

  /**
   * How long close() works off what is queued before it gives the rest back, as long as the
   * database answers. Default: ofSeconds(10).
   */
  public Duration getDrainTimeout() {
    return drainTimeout;
  }

  /** Sets what {@link #getDrainTimeout()} returns; returns this. */
  public OutboxConfig setDrainTimeout(Duration drainTimeout) {
    this.drainTimeout = notNegative("drainTimeout", drainTimeout);
    return this;
  }

  /**
   * How long close() takes at the most, apart from working off what is queued. With a database that
   * does not answer it includes that too. Default: ofSeconds(5).
   */
  public Duration getCloseTimeout() {
    return closeTimeout;
  }

  /** Sets what {@link #getCloseTimeout()} returns; returns this. */
  public OutboxConfig setCloseTimeout(Duration closeTimeout) {
    this.closeTimeout = positive("closeTimeout", closeTimeout);
    return this;
  }

  /**
   * How long the engine waits for an answer of the database before it gives a connection up.
   * Default: ofSeconds(30).
   */
  public Duration getNetworkTimeout() {
    return networkTimeout;
  }

  /** Sets what {@link #getNetworkTimeout()} returns; returns this. */
  public OutboxConfig setNetworkTimeout(Duration networkTimeout) {
    this.networkTimeout = positive("networkTimeout", networkTimeout);
    return this;
  }

  /**
   * How long an event that no listener here knows is left to other nodes before it is looked at
   * again. Default: ofSeconds(2).
   */
  public Duration getUnhandledDelay() {
    return unhandledDelay;
  }

  /** Sets what {@link #getUnhandledDelay()} returns; returns this. */
  public OutboxConfig setUnhandledDelay(Duration unhandledDelay) {
    this.unhandledDelay = positive("unhandledDelay", unhandledDelay);
    return this;
  }

  /** Age from which an event without a listener ends DEAD; zero for at once. Default: ofDays(1). */
  public Duration getUnhandledMaxAge() {
    return unhandledMaxAge;
  }

  /** Sets what {@link #getUnhandledMaxAge()} returns; returns this. */
  public OutboxConfig setUnhandledMaxAge(Duration unhandledMaxAge) {
    this.unhandledMaxAge = notNegative("unhandledMaxAge", unhandledMaxAge);
    return this;
  }

  /** Whether this node looks for due events in the database. Default: true. */
  public boolean isPollerEnabled() {
    return pollerEnabled;
  }

  /** Sets what {@link #isPollerEnabled()} returns; returns this. */
  public OutboxConfig setPollerEnabled(boolean pollerEnabled) {
    this.pollerEnabled = pollerEnabled;
    return this;
  }

  /**
   * Longest pause between two looks while there is nothing to do, in milliseconds. Default: 5000.
   */
  public long getPollerIntervalMs() {
    return pollerIntervalMs;
  }

  /** Sets what {@link #getPollerIntervalMs()} returns; returns this. */
  public OutboxConfig setPollerIntervalMs(long pollerIntervalMs) {
    this.pollerIntervalMs = atLeast("pollerIntervalMs", pollerIntervalMs, 1);
    return this;
  }

  /** Events claimed by one statement at the most. Default: 200. */
  public int getPollerBatchSize() {
    return pollerBatchSize == null ? DEFAULT_BATCH_SIZE : pollerBatchSize;
  }

  /** Sets what {@link #getPollerBatchSize()} returns; returns this. */
  public OutboxConfig setPollerBatchSize(int pollerBatchSize) {
    this.pollerBatchSize = atLeast("pollerBatchSize", pollerBatchSize, 1);
    return this;
  }

  /**
   * Sets the default of {@code pollerBatchSize}; a value that was set stays. For parts with another
   * default, such as an inbox.
   */
  public OutboxConfig defaultPollerBatchSize(int pollerBatchSize) {
    return this.pollerBatchSize == null ? setPollerBatchSize(pollerBatchSize) : this;
  }

  /**
   * The age in milliseconds below which the poller leaves rows alone that a node of schema version
   * 1 wrote; all other rows are claimed as soon as they are due and not leased. With a plain {@link
   * outbox.spi.EventStore} it holds for all rows. Default: 1000.
   */
  public long getPollerSkipRecentMs() {
    return pollerSkipRecentMs;
  }

  /** Sets what {@link #getPollerSkipRecentMs()} returns; returns this. */
  public OutboxConfig setPollerSkipRecentMs(long pollerSkipRecentMs) {
    this.pollerSkipRecentMs = atLeast("pollerSkipRecentMs", pollerSkipRecentMs, 0);
    return this;
  }

  /** Delay after the first failure, in milliseconds. Default: 200. */
  public long getRetryBaseDelayMs() {
    return retryBaseDelayMs;
  }

  /** Sets what {@link #getRetryBaseDelayMs()} returns; returns this. */
  public OutboxConfig setRetryBaseDelayMs(long retryBaseDelayMs) {
    this.retryBaseDelayMs = atLeast("retryBaseDelayMs", retryBaseDelayMs, 1);
    return this;
  }

  /** Longest delay after a failure, in milliseconds. Default: 60000. */
  public long getRetryMaxDelayMs() {
    return retryMaxDelayMs;
  }

  /** Sets what {@link #getRetryMaxDelayMs()} returns; returns this. */
  public OutboxConfig setRetryMaxDelayMs(long retryMaxDelayMs) {
    this.retryMaxDelayMs = atLeast("retryMaxDelayMs", retryMaxDelayMs, 1);
    return this;
  }

  /**
   * Whether the delay doubles with each failure, up to {@code retryMaxDelayMs}; false: it stays
   * {@code retryBaseDelayMs}. Jitter is added in either case. Default: true.
   */
  public boolean isUseExponentialBackoff() {
    return useExponentialBackoff;
  }

  /** Sets what {@link #isUseExponentialBackoff()} returns; returns this. */
  public OutboxConfig setUseExponentialBackoff(boolean useExponentialBackoff) {
    this.useExponentialBackoff = useExponentialBackoff;
    return this;
  }

  /** Deliveries in all; the event is DEAD after the last of them fails. Default: 10. */
  public int getRetryMaxAttempts() {
    return retryMaxAttempts;
  }

  /** Sets what {@link #getRetryMaxAttempts()} returns; returns this. */
  public OutboxConfig setRetryMaxAttempts(int retryMaxAttempts) {
    this.retryMaxAttempts = atLeast("retryMaxAttempts", retryMaxAttempts, 1);
    return this;
  }

  /**
   * Whether an event whose payload cannot be read is tried again: during a rolling deployment a
   * newer node may read it. False: it is DEAD at once. Default: true.
   */
  public boolean isRetryUnreadablePayloads() {
    return retryUnreadablePayloads;
  }

  /** Sets what {@link #isRetryUnreadablePayloads()} returns; returns this. */
  public OutboxConfig setRetryUnreadablePayloads(boolean retryUnreadablePayloads) {
    this.retryUnreadablePayloads = retryUnreadablePayloads;
    return this;
  }

  private static int atLeast(String name, int value, int least) {
    return (int) atLeast(name, (long) value, least);
  }

  private static long atLeast(String name, long value, long least) {
    if (value < least) {
      throw new InvalidSettingException(name + " (" + value + ") must be at least " + least, name);
    }
    return value;
  }

  private static Duration bounded(String name, Duration value) {
    if (value.compareTo(LONGEST) > 0) {
      throw new InvalidSettingException(name + " (" + value + ") must not exceed " + LONGEST, name);
    }
    return value;
  }

  private static Duration positive(String name, Duration value) {
    if (requireNonNull(value, name).isZero() || value.isNegative()) {
      throw new InvalidSettingException(name + " (" + value + ") must be longer than zero", name);
    }
    return bounded(name, value);
  }

  private static Duration notNegative(String name, Duration value) {
    if (requireNonNull(value, name).isNegative()) {
      throw new InvalidSettingException(name + " (" + value + ") must not be negative", name);
    }
    return bounded(name, value);
  }
}
