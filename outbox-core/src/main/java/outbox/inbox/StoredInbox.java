package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.Propagation;

/** The inbox on any store of one. */
final class StoredInbox implements Inbox {
  private static final int REVIVE_BATCH = 1_000;

  private final ConnectionProvider connections;
  private final InboxStore store;
  private final Runnable onCommit;
  private final Propagation propagation;
  private final int maxPayloadBytes;
  private final InboxLog log;

  StoredInbox(InboxBuilder setup) {
    this.connections = setup.connections;
    this.store = setup.store;
    this.onCommit = setup.onCommit;
    this.propagation = setup.propagation;
    this.maxPayloadBytes = setup.maxPayloadBytes;
    this.log = new InboxLog(setup.storeName);
  }

  @Override
  public ReceiveResult receive(InboundMessage given) {
    InboundMessage message = checked(given);
    ReceiveResult result =
        connections.inAutoCommit(connection -> store.receive(connection, message));
    log.received(message, result);
    if (result.isNew()) {
      wakeFor(message);
    }
    return result;
  }

  @Override
  public void enqueue(InboundMessage given) {
    InboundMessage message = checked(given);
    InboxStatus status = connections.inAutoCommit(connection -> store.enqueue(connection, message));
    log.enqueued(message, status);
    if (status == InboxStatus.PROCESSING) {
      wakeFor(message);
    }
  }

  private InboundMessage checked(InboundMessage given) {
    requireNonNull(given, "message");
    return given.withHeaders(propagation.headers(given.topic())).within(maxPayloadBytes);
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
  public int revive(InboxFilter filter) {
    requireNonNull(filter, "filter");
    int total = 0;
    int revived;
    do {
      revived =
          connections.inAutoCommit(connection -> store.revive(connection, filter, REVIVE_BATCH));
      total += revived;
    } while (revived == REVIVE_BATCH);
    return revived(total);
  }

  private int revived(int count) {
    log.revived(count);
    if (count > 0) {
      onCommit.run();
    }
    return count;
  }
}
