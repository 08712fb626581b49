package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetters;
import outbox.PayloadCodec;
import outbox.inbox.InboxStore.Receipt;
import outbox.internal.guard.JoinedTransaction;
import outbox.internal.queue.StoredDeadLetters;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.HotPath;
import outbox.spi.HotPath.Prepared;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/** The inbox on any store of one. */
final class StoredInbox implements Inbox {
  private final ConnectionProvider connections;
  private final InboxStore store;
  private final Runnable onCommit;
  private final Runnable onUnseenCommit;
  private final DueListener onStoredForLater;
  private final Propagation propagation;
  private final int maxPayloadBytes;
  private final PayloadCodec codec;
  private final InboxLog log;
  private final @Nullable HotPath hotPath;
  private final MetricsExporter metrics;
  private final DeadLetters deadLetters;

  StoredInbox(InboxBuilder setup) {
    this.connections = setup.connections;
    this.store = setup.store;
    this.onCommit = setup.onCommit;
    this.onUnseenCommit = setup.onUnseenCommit;
    this.onStoredForLater = setup.onStoredForLater;
    this.propagation = setup.propagation;
    this.maxPayloadBytes = setup.maxPayloadBytes;
    this.codec = setup.codec;
    this.log = new InboxLog(setup.storeName);
    this.hotPath = setup.hotPath;
    this.metrics = setup.metrics;
    this.deadLetters = new StoredDeadLetters(connections, store.events(), onCommit);
  }

  @Override
  public ReceiveResult receive(InboundMessage given) {
    InboundMessage message = checked(given);
    return hotPath == null
        ? received(message, connections.inAutoCommit(c -> store.receive(c, message)), onCommit)
        : receive(message, hotPath);
  }

  private ReceiveResult receive(InboundMessage message, HotPath hotPath) {
    String eventId = store.newEventId(message.key());
    Prepared queued = hotPath.prepareHot(InboxMessage.envelope(eventId, message), false);
    Receipt receipt =
        connections.inAutoCommit(c -> store.receive(c, message, eventId, queued.lease()));
    if (!receipt.inserted()) {
      return received(message, receipt.result(), onCommit);
    }
    log.received(message, receipt.result());
    hotPath.handOver(queued, false, metrics);
    return receipt.result();
  }

  @Override
  public ReceiveResult receive(Connection connection, InboundMessage given) {
    InboundMessage message = checked(given);
    return received(message, store.receive(joined(connection), message), onUnseenCommit);
  }

  @Override
  public ReceiveResult receive(InboxKey key, String topic, Object payload) {
    return receive(InboundMessage.of(key, topic, payload, codec));
  }

  private ReceiveResult received(InboundMessage message, ReceiveResult result, Runnable wake) {
    log.received(message, result);
    if (result.isNew()) {
      wakeFor(message, wake);
    }
    return result;
  }

  @Override
  public void enqueue(InboundMessage given) {
    InboundMessage message = checked(given);
    enqueued(
        message,
        connections.inAutoCommit(connection -> store.enqueue(connection, message)),
        onCommit);
  }

  @Override
  public void enqueue(Connection connection, InboundMessage given) {
    InboundMessage message = checked(given);
    enqueued(message, store.enqueue(joined(connection), message), onUnseenCommit);
  }

  private void enqueued(InboundMessage message, InboxStore.Sighting sighting, Runnable wake) {
    log.enqueued(message, sighting);
    if (sighting.status() == InboxStatus.PROCESSING) {
      wakeFor(message, wake);
    }
  }

  private InboundMessage checked(InboundMessage given) {
    requireNonNull(given, "message");
    return given.withHeaders(propagation.headers(given.topic())).within(maxPayloadBytes);
  }

  /** What is due by this process's clock may not be by the store's: then it is looked for again. */
  private void wakeFor(InboundMessage message, Runnable wake) {
    Instant dueTime = message.dueTime();
    if (dueTime != null) {
      onStoredForLater.dueAt(dueTime);
    }
    if (dueTime == null || !dueTime.isAfter(Instant.now())) {
      wake.run();
    }
  }

  @Override
  public boolean alreadyProcessed(InboxKey key, byte @Nullable [] hash) {
    requireNonNull(key, "key");
    byte[] copy = InboundMessage.copied(hash);
    return seen(key, connections.inAutoCommit(connection -> store.see(connection, key, copy)));
  }

  @Override
  public boolean alreadyProcessed(Connection connection, InboxKey key, byte @Nullable [] hash) {
    requireNonNull(key, "key");
    return seen(key, store.see(joined(connection), key, InboundMessage.copied(hash)));
  }

  private boolean seen(InboxKey key, InboxStore.Sighting sighting) {
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
  public boolean markProcessed(Connection connection, InboxKey key) {
    requireNonNull(key, "key");
    return marked(key, InboxStatus.DONE, store.mark(joined(connection), key, InboxStatus.DONE));
  }

  @Override
  public boolean markDead(InboxKey key) {
    return mark(key, InboxStatus.DEAD);
  }

  private boolean mark(InboxKey key, InboxStatus status) {
    requireNonNull(key, "key");
    return marked(
        key, status, connections.inAutoCommit(connection -> store.mark(connection, key, status)));
  }

  private boolean marked(InboxKey key, InboxStatus status, boolean moved) {
    log.marked(key, status, moved);
    return moved;
  }

  @Override
  public boolean revive(InboxKey key) {
    return revive(List.of(requireNonNull(key, "key"))) == 1;
  }

  @Override
  public int revive(Collection<InboxKey> keys) {
    List<InboxKey> all = requireNonNull(keys, "keys").stream().distinct().toList();
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

  private static Connection joined(Connection connection) {
    return JoinedTransaction.of(requireNonNull(connection, "connection"), "the inbox");
  }
}
