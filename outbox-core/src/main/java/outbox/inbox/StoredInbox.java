package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetters;
import outbox.spi.ConnectionProvider;

/** The inbox on any store of one. */
final class StoredInbox implements Inbox {
  private final ConnectionProvider connections;
  private final InboxStore store;
  private final Runnable onCommit;
  private final int maxPayloadBytes;
  private final InboxLog log;
  private final DeadLetters deadLetters;

  StoredInbox(InboxBuilder setup) {
    this.connections = setup.connections;
    this.store = setup.store;
    this.onCommit = setup.onCommit;
    this.maxPayloadBytes = setup.maxPayloadBytes;
    this.log = new InboxLog(setup.storeName);
    this.deadLetters = DeadLetters.of(connections, store.events(), onCommit);
  }

  @Override
  public ReceiveResult receive(InboundMessage message) {
    requireNonNull(message, "message").within(maxPayloadBytes);
    ReceiveResult result =
        connections.inAutoCommit(connection -> store.receive(connection, message));
    log.received(message, result);
    if (result.isNew()) {
      wakeFor(message);
    }
    return result;
  }

  @Override
  public void enqueue(InboundMessage message) {
    requireNonNull(message, "message").within(maxPayloadBytes);
    InboxStatus status = connections.inAutoCommit(connection -> store.enqueue(connection, message));
    log.enqueued(message, status);
    if (status == InboxStatus.PROCESSING) {
      wakeFor(message);
    }
  }

  /** By this process's clock, which only decides whether to wake somebody. */
  private void wakeFor(InboundMessage message) {
    Instant dueTime = message.dueTime();
    if (dueTime == null || !dueTime.isAfter(Instant.now())) {
      onCommit.run();
    }
  }

  @Override
  public boolean alreadyProcessed(InboxKey key, byte @Nullable [] hash) {
    requireNonNull(key, "key");
    byte[] copy = InboundMessage.copied(hash);
    InboxStore.Sighting sighting =
        connections.inAutoCommit(connection -> store.see(connection, key, copy));
    log.seen(key, sighting);
    return sighting.status() == InboxStatus.DONE;
  }

  @Override
  public boolean markProcessing(InboxKey key) {
    return mark(key, InboxStatus.PROCESSING);
  }

  @Override
  public boolean markProcessed(InboxKey key) {
    return mark(key, InboxStatus.DONE);
  }

  @Override
  public boolean markDead(InboxKey key) {
    return mark(key, InboxStatus.DEAD);
  }

  private boolean mark(InboxKey key, InboxStatus status) {
    requireNonNull(key, "key");
    boolean moved = connections.inAutoCommit(connection -> store.mark(connection, key, status));
    log.marked(key, status, moved);
    return moved;
  }

  @Override
  public boolean revive(InboxKey key) {
    return revive(List.of(requireNonNull(key, "key"))) == 1;
  }

  @Override
  public int revive(Collection<InboxKey> keys) {
    List<InboxKey> all = keys.stream().distinct().toList();
    return all.isEmpty()
        ? 0
        : revived(connections.inAutoCommit(connection -> store.revive(connection, all)));
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  private int revived(int count) {
    log.revived(count);
    if (count > 0) {
      onCommit.run();
    }
    return count;
  }
}
