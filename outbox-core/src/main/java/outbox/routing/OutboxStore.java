package outbox.routing;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.Joins;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.PayloadCodec;
import outbox.internal.text.LogText;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/**
 * One of the databases of a process: an event store, the way to its connections, and an identifier
 * that names it in logs, metrics and the router.
 *
 * <p>A dispatcher works on the parts. The methods of this class are for code that processes a store
 * by itself: they claim under a token of this object, and change only what it has claimed.
 * Thread-safe.
 */
public final class OutboxStore implements AutoCloseable {
  /** How long {@link #claimDue} leases messages unless set otherwise. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  private static final Logger LOG = System.getLogger(OutboxStore.class.getName());

  private final String identifier;
  private final ConnectionProvider connections;
  private final ConnectionProvider claimConnections;
  private final ConnectionProvider applicationConnections;
  private final LeasedEventStore events;
  private final @Nullable TransactionRunner transactions;
  private final @Nullable TxContext txContext;
  private final @Nullable Joins joins;
  private final Consumer<Runnable> onDue;
  private final Duration lease;
  private final Runnable onClose;
  private final PayloadCodec codec;
  private final OwnerToken owner = OwnerToken.random();
  private final Outbox outbox;
  private final AtomicBoolean closed = new AtomicBoolean();

  private OutboxStore(Builder builder) {
    this.identifier = builder.identifier;
    this.connections = builder.connections;
    this.claimConnections = builder.claimConnections;
    this.applicationConnections = builder.applicationConnections;
    this.events = builder.events;
    this.transactions = builder.transactions;
    this.txContext = builder.txContext;
    this.joins = builder.joins;
    this.onDue = builder.onDue;
    this.lease = builder.lease;
    this.onClose = builder.onClose;
    this.codec = builder.codec;
    this.outbox = OutboxBuilder.of(applicationConnections, events).storeName(identifier).build();
  }

  /** Everything but the three has a default. */
  public static Builder builder(
      String identifier, ConnectionProvider connections, LeasedEventStore events) {
    return new Builder(identifier, connections, events);
  }

  /** Names the store; constant, and different from that of every other store. */
  public String identifier() {
    return identifier;
  }

  /** The engine's connections. */
  public ConnectionProvider connections() {
    return connections;
  }

  /** Those of the engine's connections on which it claims. */
  public ConnectionProvider claimConnections() {
    return claimConnections;
  }

  /** Connections on which the application enqueues and calls the methods of this class. */
  public ConnectionProvider applicationConnections() {
    return applicationConnections;
  }

  /** Returns the store of the events. */
  public LeasedEventStore events() {
    return events;
  }

  /** What transactional listeners run in; null if there is nothing. */
  public @Nullable TransactionRunner transactions() {
    return transactions;
  }

  /** The transactions of this database that enqueues take part in; null if there are none. */
  public @Nullable TxContext txContext() {
    return txContext;
  }

  /** The joins of the messages in this store; null if it has none. */
  public @Nullable Joins joins() {
    return joins;
  }

  /** What writes payloads that are given as objects. */
  public PayloadCodec codec() {
    return codec;
  }

  /**
   * Sets what to run when joins have made messages due, or will with a transaction that has not
   * committed yet: for the dispatcher, which looks for them then.
   */
  public void onDue(Runnable wakeUp) {
    onDue.accept(requireNonNull(wakeUp, "wakeUp"));
  }

  /** Leases due messages to this object, by the rules of {@link Outbox#claim}. */
  public List<OutboxMessage> claimDue(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit (" + limit + ") must be at least 1");
    }
    return outbox.claim(owner, lease, limit);
  }

  /** Marks a claimed message as processed; one that is no longer leased to this is left alone. */
  public void markDispatched(MessageId id) {
    reportIfLost(id, outbox.ack(owner, List.of(id)).isEmpty());
  }

  /** Gives a claimed message back after a failure, to be claimed again after the delay. */
  public void reschedule(MessageId id, Duration delay, String lastError) {
    reportIfLost(id, outbox.abandon(owner, List.of(id), lastError, delay).isEmpty());
  }

  /** Ends a claimed message for good. */
  public void fail(MessageId id, String lastError) {
    reportIfLost(id, outbox.fail(owner, List.of(id), lastError).isEmpty());
  }

  /** Frees what belongs to this store. Closing twice is harmless. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      onClose.run();
    }
  }

  private void reportIfLost(MessageId id, boolean lost) {
    if (lost) {
      LOG.log(
          Level.INFO,
          "not leased to this store object any more id={0} store={1}; see the lease of"
              + " OutboxStore.Builder",
          LogText.of(id.value()),
          LogText.of(identifier));
    }
  }

  @Override
  public String toString() {
    return identifier;
  }

  /** Collects the parts of a store. Not thread-safe. */
  public static final class Builder {
    private final String identifier;
    private final ConnectionProvider connections;
    private final LeasedEventStore events;
    private ConnectionProvider claimConnections;
    private ConnectionProvider applicationConnections;
    private @Nullable TransactionRunner transactions;
    private @Nullable TxContext txContext;
    private @Nullable Joins joins;
    private Consumer<Runnable> onDue = wakeUp -> {};
    private Duration lease = DEFAULT_LEASE;
    private Runnable onClose = () -> {};
    private PayloadCodec codec = PayloadCodec.onClassPath();

    private Builder(String identifier, ConnectionProvider connections, LeasedEventStore events) {
      this.identifier = requireNonNull(identifier, "identifier");
      if (identifier.isBlank()) {
        throw new IllegalArgumentException("identifier must not be blank: it names the store");
      }
      this.connections = requireNonNull(connections, "connections");
      this.claimConnections = connections;
      this.applicationConnections = connections;
      this.events = requireNonNull(events, "events");
    }

    /** Other connections for claims, so that outcomes and leases can go before them. */
    public Builder claimConnections(ConnectionProvider claimConnections) {
      this.claimConnections = requireNonNull(claimConnections, "claimConnections");
      return this;
    }

    /** Other connections for the application's enqueues than the engine's. */
    public Builder applicationConnections(ConnectionProvider applicationConnections) {
      this.applicationConnections =
          requireNonNull(applicationConnections, "applicationConnections");
      return this;
    }

    /** Lets transactional listeners run. */
    public Builder transactions(TransactionRunner transactions) {
      this.transactions = requireNonNull(transactions, "transactions");
      return this;
    }

    /** Lets enqueues join the thread's transaction on this database while there is one. */
    public Builder txContext(TxContext txContext) {
      this.txContext = requireNonNull(txContext, "txContext");
      return this;
    }

    /**
     * Gives the outbox of this store the operations of joins. Their wait handler must be registered
     * with the dispatcher.
     *
     * @param onDue takes what to run when a join has made messages due
     */
    public Builder joins(Joins joins, Consumer<Runnable> onDue) {
      this.joins = requireNonNull(joins, "joins");
      this.onDue = requireNonNull(onDue, "onDue");
      return this;
    }

    /** Writes payloads that are given as objects, instead of the codec on the class path. */
    public Builder codec(PayloadCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /** How long {@link OutboxStore#claimDue} leases messages. */
    public Builder lease(Duration lease) {
      if (requireNonNull(lease, "lease").isNegative() || lease.isZero()) {
        throw new IllegalArgumentException("lease (" + lease + ") must be longer than zero");
      }
      this.lease = lease;
      return this;
    }

    /** Runs once, after the store was drained and its leases were given back. */
    public Builder onClose(Runnable onClose) {
      this.onClose = requireNonNull(onClose, "onClose");
      return this;
    }

    /** Builds the store. */
    public OutboxStore build() {
      return new OutboxStore(this);
    }
  }
}
