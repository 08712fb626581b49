package outbox;

import static java.util.Objects.requireNonNull;

import outbox.dispatch.RetryPolicy;
import outbox.internal.queue.HotInserts;
import outbox.internal.queue.QueueSettings;
import outbox.internal.queue.StoredOutbox;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.HotPath;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;
import outbox.spi.TxContext;

/** Collects the parts of an {@link Outbox}. Not thread-safe. */
public final class OutboxBuilder {
  /** The deliveries after which a bare {@code abandon} ends a message, by default: {@value}. */
  public static final int DEFAULT_MAX_ATTEMPTS = QueueSettings.DEFAULT_MAX_ATTEMPTS;

  /** The counted lease expiries after which a message ends as poison, by default: {@value}. */
  public static final int DEFAULT_MAX_LEASE_EXPIRIES = QueueSettings.DEFAULT_MAX_LEASE_EXPIRIES;

  private final QueueSettings settings;

  private OutboxBuilder(QueueSettings settings) {
    this.settings = settings;
  }

  /** Creates a builder; all other settings have defaults. */
  public static OutboxBuilder of(ConnectionProvider connections, LeasedEventStore store) {
    return new OutboxBuilder(new QueueSettings(connections, store));
  }

  /** Lets {@code enqueue} join the thread's transaction while there is one. */
  public OutboxBuilder txContext(TxContext txContext) {
    settings.txContext = requireNonNull(txContext, "txContext");
    return this;
  }

  /**
   * Runs after the commit of messages that are due, to wake those who claim them. Never blocks,
   * never throws.
   */
  public OutboxBuilder onCommit(Runnable onCommit) {
    settings.onCommit = requireNonNull(onCommit, "onCommit");
    return this;
  }

  /**
   * Runs when messages that are due were stored in a connection's transaction, whose commit is not
   * seen: workers that claim should look soon, and again. Never blocks, never throws.
   */
  public OutboxBuilder onUnseenCommit(Runnable onUnseenCommit) {
    settings.onUnseenCommit = requireNonNull(onUnseenCommit, "onUnseenCommit");
    return this;
  }

  /**
   * Runs with the due time of each message that was stored for later, retries and deferrals
   * included: the claimer should look then. The transaction may have rolled back. Never blocks,
   * never throws.
   */
  public OutboxBuilder onStoredForLater(DueListener onStoredForLater) {
    settings.onStoredForLater = requireNonNull(onStoredForLater, "onStoredForLater");
    return this;
  }

  /**
   * Delivers what is stored in a transaction whose commit is seen from memory, where the engine has
   * a handler for it, instead of waking the claimers.
   *
   * @param metrics counts what is delivered so and what there was no room for
   */
  public OutboxBuilder hotPath(HotPath path, MetricsExporter metrics) {
    settings.hotInserts =
        new HotInserts(
            settings.store, requireNonNull(path, "path"), requireNonNull(metrics, "metrics"));
    return this;
  }

  /** The delays after a bare {@code abandon}, instead of 2, 4, 8 … up to 60 seconds. */
  public OutboxBuilder backoff(RetryPolicy backoff) {
    settings.backoff = requireNonNull(backoff, "backoff");
    return this;
  }

  /** Deliveries in all; a bare {@code abandon} of the last one ends the message. */
  public OutboxBuilder maxAttempts(int maxAttempts) {
    settings.maxAttempts = atLeastOne("maxAttempts", maxAttempts);
    return this;
  }

  /**
   * How often a lease may expire under a worker, not counting the first time, before the message
   * ends as poison. {@link Integer#MAX_VALUE} counts nothing.
   */
  public OutboxBuilder maxLeaseExpiries(int maxLeaseExpiries) {
    settings.maxLeaseExpiries = atLeastOne("maxLeaseExpiries", maxLeaseExpiries);
    return this;
  }

  /** The limit of payloads that are given as text, instead of {@code MAX_PAYLOAD_BYTES}. */
  public OutboxBuilder maxPayloadBytes(int maxPayloadBytes) {
    settings.maxPayloadBytes = atLeastOne("maxPayloadBytes", maxPayloadBytes);
    return this;
  }

  /** What goes with each message from its producer to its handlers; nothing by default. */
  public OutboxBuilder propagation(Propagation propagation) {
    settings.propagation = requireNonNull(propagation, "propagation");
    return this;
  }

  /** Writes payloads that are given as objects, instead of the codec on the class path. */
  public OutboxBuilder codec(PayloadCodec codec) {
    settings.codec = requireNonNull(codec, "codec");
    return this;
  }

  /** Names the store in log lines; of use where one process has many. */
  public OutboxBuilder storeName(String storeName) {
    settings.storeName = requireNonNull(storeName, "storeName");
    return this;
  }

  /** The joins of the same messages; without them the outbox refuses what needs a join. */
  public OutboxBuilder joins(Joins joins) {
    settings.joins = requireNonNull(joins, "joins");
    return this;
  }

  /** Builds the outbox. */
  public Outbox build() {
    return new StoredOutbox(settings);
  }

  private static int atLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " (" + value + ") must be at least 1");
    }
    return value;
  }
}
