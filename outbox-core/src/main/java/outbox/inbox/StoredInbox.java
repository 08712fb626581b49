package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetters;
import outbox.PayloadCodec;
import outbox.inbox.InboxStore.Arrival;
import outbox.inbox.InboxStore.Receipt;
import outbox.internal.guard.JoinedTransaction;
import outbox.internal.queue.StoredDeadLetters;
import outbox.internal.text.EnvelopeRules;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.HotPath;
import outbox.spi.HotPath.Prepared;
import outbox.spi.LeasedEventStore;
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
  private final StoredDeadLetters deadLetters;

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
    return received(message, receipt, queued, hotPath);
  }

  /** Hands a message on that is new; one that was known by its key only is left to the poller. */
  private ReceiveResult received(
      InboundMessage message, Receipt receipt, Prepared queued, HotPath hotPath) {
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

  @Override
  public List<ReceiveResult> receiveAll(Collection<InboundMessage> given) {
    List<InboundMessage> messages = checked(given);
    if (messages.isEmpty()) {
      return List.of();
    }
    List<Arrival> arrivals = messages.stream().map(this::unleased).toList();
    return hotPath == null
        ? received(messages, receiveTogether(arrivals), onCommit)
        : receiveAll(arrivals, hotPath);
  }

  private List<ReceiveResult> receiveAll(List<Arrival> arrivals, HotPath hotPath) {
    List<Prepared> queued =
        hotPath.prepareHot(
            arrivals.stream()
                .map(each -> InboxMessage.envelope(each.eventId(), each.message()))
                .toList(),
            false);
    List<Arrival> leased = new ArrayList<>(arrivals.size());
    for (int i = 0; i < arrivals.size(); i++) {
      leased.add(arrivals.get(i).leased(queued.get(i).lease()));
    }
    List<Receipt> receipts = receiveTogether(leased);
    List<ReceiveResult> results = new ArrayList<>(arrivals.size());
    for (int i = 0; i < arrivals.size(); i++) {
      InboundMessage message = arrivals.get(i).message();
      results.add(received(message, receipts.get(i), queued.get(i), hotPath));
    }
    return List.copyOf(results);
  }

  private List<Receipt> receiveTogether(List<Arrival> arrivals) {
    return connections.inAutoCommit(connection -> store.receiveAll(connection, arrivals));
  }

  @Override
  public List<ReceiveResult> receiveAll(Connection connection, Collection<InboundMessage> given) {
    List<InboundMessage> messages = checked(given);
    Connection joined = joined(connection);
    List<Arrival> arrivals = messages.stream().map(this::unleased).toList();
    return messages.isEmpty()
        ? List.of()
        : received(messages, store.receiveAll(joined, arrivals), onUnseenCommit);
  }

  private Arrival unleased(InboundMessage message) {
    return new Arrival(message, store.newEventId(message.key()), null);
  }

  private List<InboundMessage> checked(Collection<InboundMessage> given) {
    return requireNonNull(given, "messages").stream().map(this::checked).toList();
  }

  private List<ReceiveResult> received(
      List<InboundMessage> messages, List<Receipt> receipts, Runnable wake) {
    List<ReceiveResult> results = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      results.add(received(messages.get(i), receipts.get(i).result(), wake));
    }
    return List.copyOf(results);
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
  public boolean replay(InboxKey key, String by) {
    return !replay(List.of(requireNonNull(key, "key")), by).isEmpty();
  }

  @Override
  public Set<InboxKey> replay(Collection<InboxKey> keys, String by) {
    Set<InboxKey> all = Set.copyOf(requireNonNull(keys, "keys"));
    EnvelopeRules.operator(by);
    if (all.isEmpty()) {
      return Set.of();
    }
    LeasedEventStore events = store.events();
    Set<InboxKey> replayed =
        connections.inAutoCommit(
            connection -> events.inTransaction(connection, () -> replay(connection, all, by)));
    deadLetters.replayed(replayed.size(), by);
    return replayed;
  }

  private Set<InboxKey> replay(Connection connection, Set<InboxKey> keys, String by) {
    Map<InboxKey, String> ids = store.eventIds(connection, keys);
    Set<String> changed = store.events().replay(connection, ids.values(), by, false, null);
    return ids.entrySet().stream()
        .filter(each -> changed.contains(each.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  private static Connection joined(Connection connection) {
    return JoinedTransaction.of(requireNonNull(connection, "connection"), "the inbox");
  }
}
