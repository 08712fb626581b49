package outbox.kafka;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import outbox.EventBatch;
import outbox.EventEnvelope;
import outbox.InvalidSettingException;
import outbox.internal.broker.Forwarding;
import outbox.internal.broker.WireHeaders;
import outbox.spi.Forwarder;

/**
 * Sends events to Kafka. An event is done when the broker has confirmed its record.
 *
 * <p>By default the topic is the type of the event, the key its ordering key or else its aggregate
 * id, and its id, type, time, tenant, correlation id and own headers are headers of the record. A
 * consumer recognises a repeated record by the header {@code outbox-event-id}.
 *
 * <p>While Kafka is unavailable, events are deferred without counting an attempt. A record that
 * Kafka never takes, such as one that is too large, ends DEAD with the reason. Everything else is
 * tried again by the retry rules of the event's topic.
 *
 * <p>Thread-safe. Close it after the outbox that uses it.
 */
public final class KafkaForwarder implements Forwarder {
  /** The lease that a forwarder expects by default, as {@link outbox.OutboxConfig} has it. */
  public static final Duration DEFAULT_LEASE_DURATION = Duration.ofSeconds(30);

  /** How long an event waits by default that Kafka could not take. */
  public static final Duration DEFAULT_PAUSE = Duration.ofSeconds(2);

  private final Producers producers;
  private final Forwarding forwarding;

  private KafkaForwarder(Builder setup) {
    Duration limit = setup.deliveryTimeout();
    this.producers = setup.producers();
    this.forwarding =
        new Forwarding(new KafkaTransport(producers, setup::record, limit), "kafka", setup.pause);
  }

  /**
   * Creates a forwarder with a producer of its own and default options.
   *
   * @param producerSettings those of Kafka's producer; only {@code bootstrap.servers} is required
   * @throws InvalidSettingException if a setting would lose or repeat events
   */
  public static KafkaForwarder to(Map<String, ?> producerSettings) {
    return builder(producerSettings).build();
  }

  /** Creates a forwarder with default options on a producer; see {@link #builder(Producer)}. */
  public static KafkaForwarder to(Producer<byte[], byte[]> producer) {
    return builder(producer).build();
  }

  /**
   * Begins a forwarder with a producer of its own. It is idempotent and waits for all replicas, and
   * gives a record up within the lease of its event. After a fatal error, such as a refused
   * password, the forwarder takes another producer.
   *
   * @param producerSettings those of Kafka's producer; only {@code bootstrap.servers} is required
   */
  public static Builder builder(Map<String, ?> producerSettings) {
    return new Builder(Map.copyOf(producerSettings), null);
  }

  /**
   * Begins a forwarder on a producer of the application, which stays open. The forwarder cannot see
   * its settings: it must have {@code acks=all}, {@code enable.idempotence=true} and a {@code
   * delivery.timeout.ms} shorter than the lease.
   */
  public static Builder builder(Producer<byte[], byte[]> producer) {
    return new Builder(Map.of(), requireNonNull(producer, "producer"));
  }

  /**
   * Sends all events of a batch and waits once. Events with an ordering key leave one after the
   * other, each after the confirmation of its predecessor.
   */
  @Override
  public void onEvents(EventBatch batch) {
    forwarding.forward(batch);
  }

  /** Sends one event and waits for the confirmation. */
  @Override
  public void onEvent(EventEnvelope event) throws Exception {
    forwarding.forward(event);
  }

  /** Closes the producer, unless it is the application's. Closing twice is harmless. */
  @Override
  public void close() {
    producers.close();
  }

  /** Collects the options of a forwarder. Not thread-safe. */
  public static final class Builder {
    private final Map<String, ?> settings;
    private final @Nullable Producer<byte[], byte[]> given;
    private Function<EventEnvelope, String> topic = EventEnvelope::eventType;
    private Function<EventEnvelope, @Nullable String> key = WireHeaders::key;
    private RecordFormat format = new HeaderFormat();
    private Duration leaseDuration = DEFAULT_LEASE_DURATION;
    private Duration pause = DEFAULT_PAUSE;

    private Builder(Map<String, ?> settings, @Nullable Producer<byte[], byte[]> given) {
      this.settings = settings;
      this.given = given;
    }

    /** Sends all events to one topic, instead of the topic that has the name of their type. */
    public Builder topic(String topic) {
      requireNonNull(topic, "topic");
      return topic(event -> topic);
    }

    /** Sends each event to the topic that this returns. An event for which it throws ends DEAD. */
    public Builder topic(Function<EventEnvelope, String> topic) {
      this.topic = requireNonNull(topic, "topic");
      return this;
    }

    /**
     * Sends each event to the topic that has the name of its aggregate type. An event without one
     * ends DEAD.
     */
    public Builder topicByAggregateType() {
      return topic(
          event ->
              requireNonNull(
                  event.aggregateType(), "the event has no aggregateType, which names its topic"));
    }

    /**
     * The key of the record, instead of the ordering key or else the aggregate id; null for none.
     */
    public Builder key(Function<EventEnvelope, @Nullable String> key) {
      this.key = requireNonNull(key, "key");
      return this;
    }

    /**
     * Writes CloudEvents 1.0 instead of plain headers. Needs {@code
     * io.cloudevents:cloudevents-kafka}.
     *
     * @param source the {@code source} of all events, such as {@code /shop/orders}
     */
    public Builder cloudEvents(URI source, CloudEventsMode mode) {
      this.format = new CloudEventsFormat(source, mode);
      return this;
    }

    /**
     * The {@code leaseDuration} of the outbox, if it is not the default: a record is given up
     * within it.
     */
    public Builder leaseDuration(Duration leaseDuration) {
      this.leaseDuration = positive("leaseDuration", leaseDuration);
      return this;
    }

    /** How long an event waits that Kafka could not take, instead of two seconds. */
    public Builder pause(Duration pause) {
      this.pause = positive("pause", pause);
      return this;
    }

    /**
     * Creates the forwarder and its producer.
     *
     * @throws InvalidSettingException if a setting of the producer would lose or repeat events
     */
    public KafkaForwarder build() {
      return new KafkaForwarder(this);
    }

    private Producers producers() {
      return given != null
          ? Producers.given(given)
          : Producers.own(ProducerSettings.of(settings, leaseDuration));
    }

    private Duration deliveryTimeout() {
      return ProducerSettings.deliveryTimeout(settings, leaseDuration);
    }

    private ProducerRecord<byte[], byte[]> record(EventEnvelope event) {
      String recordKey = key.apply(event);
      return format.record(
          requireNonNull(topic.apply(event), "topic returned null"),
          recordKey == null ? null : recordKey.getBytes(StandardCharsets.UTF_8),
          event);
    }

    private static Duration positive(String name, Duration value) {
      if (requireNonNull(value, name).isZero() || value.isNegative()) {
        throw new InvalidSettingException(name + " (" + value + ") must be longer than zero", name);
      }
      return value;
    }
  }
}
