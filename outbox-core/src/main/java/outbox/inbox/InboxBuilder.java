package outbox.inbox;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.Propagation;

/** Collects the parts of an {@link Inbox}. Not thread-safe. */
public final class InboxBuilder {
  final ConnectionProvider connections;
  final InboxStore store;
  Runnable onCommit = () -> {};
  int maxPayloadBytes = InboundMessage.MAX_PAYLOAD_BYTES;
  @Nullable String storeName;
  Propagation propagation = Propagation.NONE;

  InboxBuilder(ConnectionProvider connections, InboxStore store) {
    this.connections = requireNonNull(connections, "connections");
    this.store = requireNonNull(store, "store");
  }

  /**
   * Runs after a message that waits for its handler was stored, to wake whoever claims. Never
   * blocks, never throws.
   */
  public InboxBuilder onCommit(Runnable onCommit) {
    this.onCommit = requireNonNull(onCommit, "onCommit");
    return this;
  }

  /** Another limit of payloads than {@link InboundMessage#MAX_PAYLOAD_BYTES}. */
  public InboxBuilder maxPayloadBytes(int maxPayloadBytes) {
    if (maxPayloadBytes < 1) {
      throw new IllegalArgumentException(
          "maxPayloadBytes (" + maxPayloadBytes + ") must be at least 1");
    }
    this.maxPayloadBytes = maxPayloadBytes;
    return this;
  }

  /** What goes with each message from its receipt to its handler; nothing by default. */
  public InboxBuilder propagation(Propagation propagation) {
    this.propagation = requireNonNull(propagation, "propagation");
    return this;
  }

  /** Names the store in log lines; of use where one process has many. */
  public InboxBuilder storeName(String storeName) {
    this.storeName = requireNonNull(storeName, "storeName");
    return this;
  }

  public Inbox build() {
    return new StoredInbox(this);
  }

  /** The same messages as a work queue, for those who claim by themselves. */
  public InboxWorkStore buildWorkStore() {
    return new QueuedInbox(this);
  }
}
