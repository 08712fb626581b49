package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.OutboxBuilder;
import outbox.PayloadCodec;
import outbox.internal.guard.QuietMetrics;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.HotPath;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/** Collects the parts of an {@link Inbox} and of its work queue. Not thread-safe. */
public final class InboxBuilder {
  final ConnectionProvider connections;
  final InboxStore store;
  final SharedTransaction transaction;
  final OutboxBuilder queue;
  Runnable onCommit = () -> {};
  Runnable onUnseenCommit = () -> {};
  DueListener onStoredForLater = DueListener.NONE;
  int maxPayloadBytes = InboundMessage.MAX_PAYLOAD_BYTES;
  @Nullable String storeName;
  Propagation propagation = Propagation.NONE;
  PayloadCodec codec = PayloadCodec.onClassPath();
  @Nullable HotPath hotPath;
  MetricsExporter metrics = MetricsExporter.NOOP;

  InboxBuilder(ConnectionProvider connections, InboxStore store) {
    this.connections = requireNonNull(connections, "connections");
    this.store = requireNonNull(store, "store");
    this.transaction = new SharedTransaction(connections, store.events());
    this.queue = OutboxBuilder.of(transaction, store.events());
  }

  /**
   * Runs after a message that waits for its handler was stored, to wake those who claim. Never
   * blocks, never throws.
   */
  public InboxBuilder onCommit(Runnable onCommit) {
    this.onCommit = requireNonNull(onCommit, "onCommit");
    return this;
  }

  /**
   * Runs when such a message was stored in a connection's transaction, whose commit is not seen:
   * workers that claim should look soon, and again. Never blocks, never throws.
   */
  public InboxBuilder onUnseenCommit(Runnable onUnseenCommit) {
    this.onUnseenCommit = requireNonNull(onUnseenCommit, "onUnseenCommit");
    return this;
  }

  /**
   * Runs with the due time of each message that was stored for later, retries included: the
   * component that claims should look then. The transaction may have rolled back. Never blocks,
   * never throws.
   */
  public InboxBuilder onStoredForLater(DueListener onStoredForLater) {
    queue.onStoredForLater(onStoredForLater);
    this.onStoredForLater = onStoredForLater;
    return this;
  }

  /**
   * Delivers what {@code receive} has committed from memory, where the engine has a handler for it,
   * instead of waking the claimers.
   *
   * @param metrics counts what is delivered so and what there was no room for
   */
  public InboxBuilder hotPath(HotPath path, MetricsExporter metrics) {
    this.hotPath = requireNonNull(path, "path");
    this.metrics = QuietMetrics.of(requireNonNull(metrics, "metrics"));
    return this;
  }

  /** Another limit of payloads than {@link InboundMessage#MAX_PAYLOAD_BYTES}. */
  public InboxBuilder maxPayloadBytes(int maxPayloadBytes) {
    queue.maxPayloadBytes(maxPayloadBytes);
    this.maxPayloadBytes = maxPayloadBytes;
    return this;
  }

  /** What goes with each message from its receipt to its handler; nothing by default. */
  public InboxBuilder propagation(Propagation propagation) {
    this.propagation = requireNonNull(propagation, "propagation");
    return this;
  }

  /** Writes payloads that are given as objects, instead of the codec on the class path. */
  public InboxBuilder codec(PayloadCodec codec) {
    this.codec = requireNonNull(codec, "codec");
    return this;
  }

  /** Names the store in log lines; of use where one process has many. */
  public InboxBuilder storeName(String storeName) {
    queue.storeName(storeName);
    this.storeName = storeName;
    return this;
  }

  /** Sets what only the work queue has: its delays, attempts and lease expiries. */
  public InboxBuilder workQueue(Consumer<OutboxBuilder> settings) {
    settings.accept(queue);
    return this;
  }

  /** Builds the inbox. */
  public Inbox build() {
    return new StoredInbox(this);
  }

  /** Builds the work queue on the messages of the inbox, for workers that claim by themselves. */
  public InboxWorkStore buildWorkStore() {
    return new QueuedInbox(this);
  }
}
