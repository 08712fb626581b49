package outbox.kafka;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import outbox.inbox.Inbox;
import outbox.inbox.PoisonMessageException;
import outbox.inbox.PoisonPolicy;
import outbox.internal.broker.Intake;
import outbox.internal.broker.IntakeCounts;

/**
 * Takes records from Kafka into an inbox, whose handlers then run on them. The consumer commits the
 * offsets of its group after the database has committed, so a crash loses nothing; a record that
 * comes again is recognised by its key. With a {@link outbox.inbox.TransactionalInboxHandler} each
 * record has its effect in the database exactly once.
 *
 * <p>While the database does not answer, the consumer stays in its group, fetches nothing and tries
 * again. At most the records of one poll are in memory.
 *
 * <p>Thread-safe. Close it before the inbox.
 */
public final class KafkaInboxConsumer implements AutoCloseable {
  /** How long {@link #close} waits by default for the records in hand. */
  public static final Duration DEFAULT_CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private static final Logger LOG = System.getLogger(KafkaInboxConsumer.class.getName());

  private final List<InboxLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final IntakeCounts counts = new IntakeCounts();
  private final Duration closeTimeout;

  private KafkaInboxConsumer(Builder setup) {
    this.closeTimeout = setup.closeTimeout;
    Map<String, Object> settings = ConsumerSettings.of(setup.settings);
    for (int n = 1; n <= setup.threads; n++) {
      Intake<ConsumerRecord<byte[], byte[]>> intake =
          new Intake<>(LOG, setup.inbox, new KafkaMessages(setup.mapping), setup.poison, counts);
      InboxLoop loop =
          new InboxLoop(() -> new KafkaConsumer<>(settings), setup.topics, intake, setup.paused);
      Thread thread = new Thread(loop, "outbox-kafka-" + n);
      thread.setDaemon(true);
      loops.add(loop);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  /**
   * Begins a consumer.
   *
   * @param consumerSettings those of Kafka's consumer; {@code bootstrap.servers} and {@code
   *     group.id} are required
   */
  public static Builder builder(Inbox inbox, Map<String, ?> consumerSettings) {
    return new Builder(inbox, consumerSettings);
  }

  /** Records that wait in Kafka for this consumer, by partition, as of its last poll. */
  public Map<TopicPartition, Long> lags() {
    Map<TopicPartition, Long> all = new HashMap<>();
    loops.forEach(loop -> all.putAll(loop.lags()));
    return all;
  }

  /** Records that wait in Kafka for this consumer, in all its partitions, as of its last poll. */
  public long lag() {
    return lags().values().stream().mapToLong(Long::longValue).sum();
  }

  /** Records that were new to the inbox. */
  public long received() {
    return counts.received();
  }

  /** Records that the inbox knew already. */
  public long duplicates() {
    return counts.duplicates();
  }

  /** Records that were stored as dead letters. */
  public long poisoned() {
    return counts.poisoned();
  }

  /** Whether all of its threads run: false after a poison record that stops, and when closed. */
  public boolean isRunning() {
    return loops.stream().allMatch(InboxLoop::isRunning);
  }

  /** The record that has stopped it, if one has. */
  public Optional<PoisonMessageException> stoppedBy() {
    return loops.stream().map(InboxLoop::poison).filter(Objects::nonNull).findFirst();
  }

  /**
   * Stores and commits what is in hand, then leaves the group. Takes {@code closeTimeout} at the
   * most; closing twice is harmless.
   */
  @Override
  public void close() {
    loops.forEach(InboxLoop::stop);
    long deadline = System.nanoTime() + closeTimeout.toNanos();
    try {
      for (Thread thread : threads) {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Collects the options of a consumer. Not thread-safe. */
  public static final class Builder {
    private final Inbox inbox;
    private final Map<String, ?> settings;
    private Collection<String> topics = List.of();
    private RecordMapping mapping = RecordMapping.standard();
    private PoisonPolicy poison = PoisonPolicy.STORE_DEAD;
    private BooleanSupplier paused = () -> false;
    private int threads = 1;
    private Duration closeTimeout = DEFAULT_CLOSE_TIMEOUT;

    private Builder(Inbox inbox, Map<String, ?> settings) {
      this.inbox = requireNonNull(inbox, "inbox");
      this.settings = Map.copyOf(settings);
    }

    /** The Kafka topics to read; at least one. */
    public Builder topics(String... topics) {
      return topics(List.of(topics));
    }

    /** The Kafka topics to read; at least one. */
    public Builder topics(Collection<String> topics) {
      this.topics = List.copyOf(topics);
      return this;
    }

    /** How a record becomes a message, instead of {@link RecordMapping#standard}. */
    public Builder mapping(RecordMapping mapping) {
      this.mapping = requireNonNull(mapping, "mapping");
      return this;
    }

    /** What happens to a record that the inbox cannot take. Default: STORE_DEAD. */
    public Builder poison(PoisonPolicy poison) {
      this.poison = requireNonNull(poison, "poison");
      return this;
    }

    /**
     * While this returns true the consumer fetches nothing: for those who must keep the inbox
     * short. Asked before each poll.
     */
    public Builder pauseWhile(BooleanSupplier paused) {
      this.paused = requireNonNull(paused, "paused");
      return this;
    }

    /** Members of the group in this process, each with a thread. Default: 1. */
    public Builder threads(int threads) {
      if (threads < 1) {
        throw new IllegalArgumentException("threads (" + threads + ") must be at least 1");
      }
      this.threads = threads;
      return this;
    }

    /** How long {@link #close} may take, instead of ten seconds. */
    public Builder closeTimeout(Duration closeTimeout) {
      this.closeTimeout = requireNonNull(closeTimeout, "closeTimeout");
      return this;
    }

    /**
     * Starts the consumer.
     *
     * @throws outbox.InvalidSettingException if a setting of the consumer would lose records
     */
    public KafkaInboxConsumer start() {
      if (topics.isEmpty()) {
        throw new IllegalStateException("topics must name at least one Kafka topic");
      }
      return new KafkaInboxConsumer(this);
    }
  }
}
