package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetterListener;
import outbox.OutboxConfig;
import outbox.PayloadCodec;
import outbox.Retention;
import outbox.dispatch.Retries;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/**
 * The options of every engine, on one database or many, of outboxes or inboxes. Not thread-safe.
 *
 * @param <B> the builder itself, which the setters return
 */
abstract class EngineSettings<B extends EngineSettings<B>> {
  private final int defaultBatchSize;
  OutboxConfig config;
  MetricsExporter metrics = MetricsExporter.NOOP;
  @Nullable Retries retries;
  final Map<String, Retries> retriesByTopic = new HashMap<>();
  @Nullable DeadLetterListener onDead;
  Retention retention;
  Propagation propagation = Propagation.NONE;
  @Nullable String node;
  boolean createSchema;
  PayloadCodec codec = PayloadCodec.onClassPath();

  /** Whether a listener or handler takes its payload as an object. */
  boolean readsPayloads;

  EngineSettings(OutboxConfig config, Retention retention) {
    this.config = config;
    this.defaultBatchSize = config.getPollerBatchSize();
    this.retention = retention;
  }

  abstract B self();

  /**
   * All numbers and durations of the engine; copied. Where it sets no {@code pollerBatchSize}, the
   * default of this builder stays.
   */
  public B config(OutboxConfig config) {
    this.config = requireNonNull(config, "config").copy().defaultPollerBatchSize(defaultBatchSize);
    return self();
  }

  /** Sets the receiver of the engine's metrics; none by default. */
  public B metrics(MetricsExporter metrics) {
    this.metrics = requireNonNull(metrics, "metrics");
    return self();
  }

  /** Sets delays and limits of retries, for all topics without a rule of their own. */
  public B retries(Retries retries) {
    this.retries = requireNonNull(retries, "retries");
    return self();
  }

  /** Sets delays and limits of retries for the events or messages of one topic. */
  public B retries(String topic, Retries retries) {
    retriesByTopic.put(requireNonNull(topic, "topic"), requireNonNull(retries, "retries"));
    return self();
  }

  /**
   * Sets how long the engine keeps messages after their end; {@link Retention} has the defaults.
   */
  public B retention(Retention retention) {
    this.retention = requireNonNull(retention, "retention");
    return self();
  }

  /** Keeps all messages and joins for ever, unless another process removes them. */
  public B keepForever() {
    return retention(Retention.keepForever());
  }

  /** Told of the messages that end DEAD in this process, after the database has it. */
  public B onDead(DeadLetterListener listener) {
    this.onDead = requireNonNull(listener, "listener");
    return self();
  }

  /** What goes with each message from its producer to its handlers; nothing by default. */
  public B propagation(Propagation propagation) {
    this.propagation = requireNonNull(propagation, "propagation");
    return self();
  }

  /**
   * Writes and reads payloads that are objects, instead of the only codec on the class path, such
   * as that of {@code outbox-jackson}.
   */
  public B codec(PayloadCodec codec) {
    this.codec = requireNonNull(codec, "codec");
    return self();
  }

  /** Refuses listeners of objects without a codec at the start, not at the first event. */
  final void checkCodec() {
    if (readsPayloads) {
      String unused = codec.contentType();
    }
  }

  /** A name of this process for owner tokens and {@code processed_by}. */
  public B node(String node) {
    this.node = requireNonNull(node, "node");
    return self();
  }

  /**
   * Creates the tables that are missing, and migrates those of an older version, before anything
   * else happens. Off by default: without it, a missing or outdated schema stops the start.
   */
  public B createSchema() {
    this.createSchema = true;
    return self();
  }
}
