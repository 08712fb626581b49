package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.PayloadCodec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.Retries;

/**
 * The options of an outbox or inbox in memory. Not thread-safe.
 *
 * @param <B> the builder itself, which the setters return
 */
abstract class TestSettings<B extends TestSettings<B>> {
  SettableClock clock = new SettableClock();
  PayloadCodec codec = PayloadCodec.onClassPath();
  private OutboxConfig config = new OutboxConfig().setDispatcherWorkers(1);
  private @Nullable Retries retries;
  private final Map<String, Retries> retriesByTopic = new HashMap<>();

  abstract B self();

  /** Goes by this clock, which others may share; by default by one that stands at the present. */
  public B clock(SettableClock clock) {
    this.clock = requireNonNull(clock, "clock");
    return self();
  }

  /** Writes and reads payloads that are objects, instead of the only codec on the class path. */
  public B codec(PayloadCodec codec) {
    this.codec = requireNonNull(codec, "codec");
    return self();
  }

  /**
   * Sets the numbers and durations of the engine; copied. By default those of production with one
   * worker, so that listeners run one after the other.
   */
  public B config(OutboxConfig config) {
    this.config = requireNonNull(config, "config").copy();
    return self();
  }

  /** Sets how failed events are tried again, instead of by the settings of the configuration. */
  public B retries(Retries retries) {
    this.retries = requireNonNull(retries, "retries");
    return self();
  }

  /** Sets how failed events of one topic are tried again. */
  public B retries(String topic, Retries retries) {
    retriesByTopic.put(requireNonNull(topic, "topic"), requireNonNull(retries, "retries"));
    return self();
  }

  /** Gives the engine these settings, and starts it, paused. */
  final OutboxDispatcher start(OutboxDispatcher.Builder builder) {
    builder.config(config);
    if (retries != null) {
      builder.retries(retries);
    }
    retriesByTopic.forEach(builder::retries);
    OutboxDispatcher dispatcher = builder.build();
    dispatcher.pause();
    return dispatcher;
  }
}
