package outbox.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.ConnectionFactory;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import outbox.inbox.Inbox;
import outbox.inbox.PoisonMessageException;
import outbox.inbox.PoisonPolicy;
import outbox.internal.broker.Intake;
import outbox.internal.broker.IntakeCounts;

/**
 * Takes messages from RabbitMQ into an inbox, whose handlers then run on them. The consumer
 * acknowledges messages after the database has committed, so a crash loses nothing; a message that
 * is delivered again is recognised by its id. With a {@link outbox.inbox.TransactionalInboxHandler}
 * each message has its effect in the database exactly once.
 *
 * <p>While the database does not answer, messages stay unacknowledged, at most {@code prefetch} of
 * them in memory. When the connection is lost, the consumer connects again.
 *
 * <p>Thread-safe. Close it before the inbox.
 */
public final class RabbitInboxConsumer implements AutoCloseable {
  /** Unacknowledged messages by default: {@value}. */
  public static final int DEFAULT_PREFETCH = 250;

  /** How long {@link #close} waits by default for the messages in hand. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private static final Logger LOG = System.getLogger(RabbitInboxConsumer.class.getName());

  private final IntakeCounts counts = new IntakeCounts();
  private final InboxLoop loop;
  private final Thread thread;
  private final Duration closeTimeout;

  private RabbitInboxConsumer(Builder setup) {
    this.closeTimeout = setup.closeTimeout;
    this.loop =
        new InboxLoop(
            setup.factory,
            setup.queues,
            setup.prefetch,
            new Intake<>(
                LOG,
                setup.inbox,
                new QueuedDelivery.Messages(setup.mapping),
                setup.poison,
                counts));
    this.thread = new Thread(loop, "outbox-rabbitmq");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Begins a consumer.
   *
   * @param factory names the broker; the consumer copies it, opens one connection and reconnects by
   *     itself
   */
  public static Builder builder(Inbox inbox, ConnectionFactory factory) {
    return new Builder(inbox, factory);
  }

  /** Messages that wait in its queues, as of the last second. */
  public long lag() {
    return loop.lag();
  }

  /** Messages that were new to the inbox. */
  public long received() {
    return counts.received();
  }

  /** Messages that the inbox knew already. */
  public long duplicates() {
    return counts.duplicates();
  }

  /** Messages that were stored as dead letters. */
  public long poisoned() {
    return counts.poisoned();
  }

  /** Whether it takes messages: false after a poison message that stops, and when closed. */
  public boolean isRunning() {
    return loop.isRunning();
  }

  /** The message that has stopped it, if one has. */
  public Optional<PoisonMessageException> stoppedBy() {
    return Optional.ofNullable(loop.poison());
  }

  /**
   * Stores and acknowledges what is in hand, then disconnects. Takes {@code closeTimeout} at the
   * most; closing twice is harmless.
   */
  @Override
  public void close() {
    loop.stop();
    try {
      TimeUnit.NANOSECONDS.timedJoin(thread, closeTimeout.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Collects the options of a consumer. Not thread-safe. */
  public static final class Builder {
    private final Inbox inbox;
    private final ConnectionFactory factory;
    private Collection<String> queues = List.of();
    private DeliveryMapping mapping = DeliveryMapping.standard();
    private PoisonPolicy poison = PoisonPolicy.STORE_DEAD;
    private int prefetch = DEFAULT_PREFETCH;
    private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;

    private Builder(Inbox inbox, ConnectionFactory factory) {
      this.inbox = requireNonNull(inbox, "inbox");
      this.factory = requireNonNull(factory, "factory");
    }

    /** The queues to read, which exist already; at least one. */
    public Builder queues(String... queues) {
      return queues(List.of(queues));
    }

    /** The queues to read, which exist already; at least one. */
    public Builder queues(Collection<String> queues) {
      this.queues = List.copyOf(queues);
      return this;
    }

    /** How a delivery becomes a message, instead of {@link DeliveryMapping#standard}. */
    public Builder mapping(DeliveryMapping mapping) {
      this.mapping = requireNonNull(mapping, "mapping");
      return this;
    }

    /** What happens to a message that the inbox cannot take. Default: STORE_DEAD. */
    public Builder poison(PoisonPolicy poison) {
      this.poison = requireNonNull(poison, "poison");
      return this;
    }

    /** Unacknowledged messages at the most, which are stored together. Default: 250. */
    public Builder prefetch(int prefetch) {
      if (prefetch < 1 || prefetch > 65_535) {
        throw new IllegalArgumentException(
            "prefetch (" + prefetch + ") must be at least 1 and at most 65535");
      }
      this.prefetch = prefetch;
      return this;
    }

    /** How long {@link #close} may take, instead of ten seconds. */
    public Builder closeTimeout(Duration closeTimeout) {
      this.closeTimeout = requireNonNull(closeTimeout, "closeTimeout");
      return this;
    }

    /** Starts the consumer; it connects in its own thread, and again whenever it must. */
    public RabbitInboxConsumer start() {
      if (queues.isEmpty()) {
        throw new IllegalStateException("queues must name at least one queue");
      }
      return new RabbitInboxConsumer(this);
    }
  }
}
