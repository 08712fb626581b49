package outbox;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import outbox.dispatch.HotPath;
import outbox.dispatch.Retries;
import outbox.dispatch.RetryPolicy;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;
import outbox.spi.TxContext;

/** Collects the parts of an {@link Outbox}. Not thread-safe. */
public final class OutboxBuilder {
  /** The deliveries after which a bare {@code abandon} ends a message, by default: {@value}. */
  public static final int DEFAULT_MAX_ATTEMPTS = 10;

  /** The counted lease expiries after which a message ends as poison, by default: {@value}. */
  public static final int DEFAULT_MAX_LEASE_EXPIRIES = 3;

  final ConnectionProvider connections;
  final LeasedEventStore store;
  @Nullable TxContext txContext;
  @Nullable String storeName;
  Propagation propagation = Propagation.NONE;
  PayloadCodec codec = PayloadCodec.onClassPath();
  @Nullable Joins joins;
  @Nullable HotInserts hotInserts;
  Runnable onCommit = () -> {};
  Runnable onUnseenCommit = () -> {};
  DueListener onStoredForLater = DueListener.NONE;
  RetryPolicy backoff = Retries.moderate().delays();
  int maxAttempts = DEFAULT_MAX_ATTEMPTS;
  int maxLeaseExpiries = DEFAULT_MAX_LEASE_EXPIRIES;
  int maxPayloadBytes = EventEnvelope.MAX_PAYLOAD_BYTES;

  OutboxBuilder(ConnectionProvider connections, LeasedEventStore store) {
    this.connections = requireNonNull(connections, "connections");
    this.store = requireNonNull(store, "store");
  }

  /** Lets {@code enqueue} join the thread's transaction while there is one. */
  public OutboxBuilder txContext(TxContext txContext) {
    this.txContext = requireNonNull(txContext, "txContext");
    return this;
  }

  /**
   * Runs after the commit of messages that are due, to wake whoever claims them. Never blocks,
   * never throws.
   */
  public OutboxBuilder onCommit(Runnable onCommit) {
    this.onCommit = requireNonNull(onCommit, "onCommit");
    return this;
  }

  /**
   * Runs when messages that are due were stored in a connection's transaction, whose commit is not
   * seen: whoever claims should look soon, and again. Never blocks, never throws.
   */
  public OutboxBuilder onUnseenCommit(Runnable onUnseenCommit) {
    this.onUnseenCommit = requireNonNull(onUnseenCommit, "onUnseenCommit");
    return this;
  }

  /**
   * Runs with the due time of each message that was stored for later, retries and deferrals
   * included: the claimer should look then. The transaction may have rolled back. Never blocks,
   * never throws.
   */
  public OutboxBuilder onStoredForLater(DueListener onStoredForLater) {
    this.onStoredForLater = requireNonNull(onStoredForLater, "onStoredForLater");
    return this;
  }

  /**
   * Delivers what is stored in a transaction whose commit is seen from memory, where the engine has
   * a handler for it, instead of waking whoever claims.
   *
   * @param metrics counts what is delivered so and what there was no room for
   */
  public OutboxBuilder hotPath(HotPath path, MetricsExporter metrics) {
    this.hotInserts =
        new HotInserts(store, requireNonNull(path, "path"), requireNonNull(metrics, "metrics"));
    return this;
  }

  /** The delays after a bare {@code abandon}, instead of 2, 4, 8 … up to 60 seconds. */
  public OutboxBuilder backoff(RetryPolicy backoff) {
    this.backoff = requireNonNull(backoff, "backoff");
    return this;
  }

  /** Deliveries in all; a bare {@code abandon} of the last one ends the message. */
  public OutboxBuilder maxAttempts(int maxAttempts) {
    this.maxAttempts = atLeastOne("maxAttempts", maxAttempts);
    return this;
  }

  /**
   * How often a lease may run out under a worker, not counting the first time, before the message
   * ends as poison. {@link Integer#MAX_VALUE} counts nothing.
   */
  public OutboxBuilder maxLeaseExpiries(int maxLeaseExpiries) {
    this.maxLeaseExpiries = atLeastOne("maxLeaseExpiries", maxLeaseExpiries);
    return this;
  }

  /** The limit of payloads that are given as text, instead of {@code MAX_PAYLOAD_BYTES}. */
  public OutboxBuilder maxPayloadBytes(int maxPayloadBytes) {
    this.maxPayloadBytes = atLeastOne("maxPayloadBytes", maxPayloadBytes);
    return this;
  }

  /** What goes with each message from its producer to its handlers; nothing by default. */
  public OutboxBuilder propagation(Propagation propagation) {
    this.propagation = requireNonNull(propagation, "propagation");
    return this;
  }

  /** Writes payloads that are given as objects, instead of the codec on the class path. */
  public OutboxBuilder codec(PayloadCodec codec) {
    this.codec = requireNonNull(codec, "codec");
    return this;
  }

  /** Names the store in log lines; of use where one process has many. */
  public OutboxBuilder storeName(String storeName) {
    this.storeName = requireNonNull(storeName, "storeName");
    return this;
  }

  /** The joins of the same messages; without them the outbox refuses what needs a join. */
  public OutboxBuilder joins(Joins joins) {
    this.joins = requireNonNull(joins, "joins");
    return this;
  }

  public Outbox build() {
    return new StoredOutbox(this);
  }

  private static int atLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " (" + value + ") must be at least 1");
    }
    return value;
  }
}
