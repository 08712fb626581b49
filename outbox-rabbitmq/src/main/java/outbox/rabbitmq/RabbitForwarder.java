package outbox.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.function.Function;
import outbox.EventBatch;
import outbox.EventEnvelope;
import outbox.InvalidSettingException;
import outbox.internal.broker.Forwarding;
import outbox.spi.Forwarder;

/**
 * Sends events to RabbitMQ. An event is done when the broker has confirmed its message and a queue
 * has it.
 *
 * <p>By default the message goes to the default exchange with the type of the event as routing key,
 * and so to the queue of that name. Its message id is the id of the event, by which a consumer
 * recognises a repeated message. Messages are persistent, and a message that no queue takes comes
 * back and counts as a failure.
 *
 * <p>While RabbitMQ is unavailable, refuses messages or has blocked its publishers, events are
 * deferred without counting an attempt. A message that is larger than the broker takes ends DEAD
 * with the reason. Everything else, such as a missing exchange, is tried again by the retry rules
 * of the event's topic.
 *
 * <p>Thread-safe. Close it after the outbox that uses it.
 */
public final class RabbitForwarder implements Forwarder {
  /** The lease that a forwarder expects by default, as {@link outbox.OutboxConfig} has it. */
  public static final Duration DEFAULT_LEASE_DURATION = Duration.ofSeconds(30);

  /** How long an event waits by default that RabbitMQ could not take. */
  public static final Duration DEFAULT_PAUSE = Duration.ofSeconds(2);

  private final Publishers publishers;
  private final Forwarding forwarding;

  private RabbitForwarder(Builder setup) {
    Duration limit = setup.leaseDuration.multipliedBy(2).dividedBy(3);
    this.publishers = new Publishers(setup.factory, limit);
    this.forwarding =
        new Forwarding(
            new RabbitTransport(
                publishers, new MessageFormat(setup.exchange, setup.routingKey), limit),
            "rabbitmq",
            setup.pause);
  }

  /** Creates a forwarder with default options; it connects when the first event comes. */
  public static RabbitForwarder to(ConnectionFactory factory) {
    return builder(factory).build();
  }

  /**
   * Begins a forwarder.
   *
   * @param factory names the broker; the forwarder copies it, opens one connection and reconnects
   *     by itself
   */
  public static Builder builder(ConnectionFactory factory) {
    return new Builder(factory);
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

  /** Closes the connection. Closing twice is harmless. */
  @Override
  public void close() {
    publishers.close();
  }

  /** Collects the options of a forwarder. Not thread-safe. */
  public static final class Builder {
    private final ConnectionFactory factory;
    private Function<EventEnvelope, String> exchange = event -> "";
    private Function<EventEnvelope, String> routingKey = EventEnvelope::eventType;
    private Duration leaseDuration = DEFAULT_LEASE_DURATION;
    private Duration pause = DEFAULT_PAUSE;

    private Builder(ConnectionFactory factory) {
      this.factory = requireNonNull(factory, "factory");
    }

    /** Sends all events to one exchange, instead of the default exchange. */
    public Builder exchange(String exchange) {
      requireNonNull(exchange, "exchange");
      return exchange(event -> exchange);
    }

    /** Sends each event to the exchange that this returns. If it throws, the event ends DEAD. */
    public Builder exchange(Function<EventEnvelope, String> exchange) {
      this.exchange = requireNonNull(exchange, "exchange");
      return this;
    }

    /** The routing key, instead of the type. An event for which this throws ends DEAD. */
    public Builder routingKey(Function<EventEnvelope, String> routingKey) {
      this.routingKey = requireNonNull(routingKey, "routingKey");
      return this;
    }

    /**
     * The {@code leaseDuration} of the outbox, if it is not the default: a message that is not
     * confirmed within two thirds of it is given up.
     */
    public Builder leaseDuration(Duration leaseDuration) {
      this.leaseDuration = positive("leaseDuration", leaseDuration);
      return this;
    }

    /** How long an event waits that RabbitMQ could not take, instead of two seconds. */
    public Builder pause(Duration pause) {
      this.pause = positive("pause", pause);
      return this;
    }

    /** Builds the forwarder. */
    public RabbitForwarder build() {
      return new RabbitForwarder(this);
    }

    private static Duration positive(String name, Duration value) {
      if (requireNonNull(value, name).isZero() || value.isNegative()) {
        throw new InvalidSettingException(name + " (" + value + ") must be longer than zero", name);
      }
      return value;
    }
  }
}
