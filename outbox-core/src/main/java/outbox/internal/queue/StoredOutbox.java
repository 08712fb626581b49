package outbox.internal.queue;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetters;
import outbox.EventEnvelope;
import outbox.Joins;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Failure;

/** The work queue on any store with leases. */
public final class StoredOutbox implements Outbox {
  private final LeasedEventStore store;
  private final QueueLog log;
  private final QueueProducer producer;
  private final QueueOrder order;
  private final QueueClaims claims;
  private final QueueTransitions transitions;
  private final DueListener onStoredForLater;
  private final DeadLetters deadLetters;
  private final @Nullable Joins joins;

  public StoredOutbox(QueueSettings setup) {
    ConnectionProvider connections = setup.connections;
    this.store = setup.store;
    this.log = new QueueLog(setup.storeName);
    this.producer = new QueueProducer(setup, connections, log);
    this.order = new QueueOrder(connections, store, setup.onCommit);
    this.claims = new QueueClaims(connections, store, setup.maxLeaseExpiries, order, log);
    this.onStoredForLater = setup.onStoredForLater;
    this.transitions =
        new QueueTransitions(
            connections, store, setup.backoff, setup.maxAttempts, this::storedForLater, log);
    this.deadLetters = new StoredDeadLetters(connections, store, setup.onCommit);
    this.joins = setup.joins;
  }

  @Override
  public Enqueued enqueue(String topic, Object payload, Consumer<EventEnvelope.Builder> facts) {
    return enqueue(producer.message(topic, payload, facts));
  }

  @Override
  public Enqueued enqueue(Connection connection, String topic, Object payload) {
    return enqueue(connection, producer.message(topic, payload, facts -> {}));
  }

  @Override
  public Enqueued enqueue(EventEnvelope message) {
    return enqueueAll(List.of(requireNonNull(message, "message"))).get(0);
  }

  @Override
  public Enqueued enqueue(Connection connection, EventEnvelope message) {
    return enqueueAll(connection, List.of(requireNonNull(message, "message"))).get(0);
  }

  @Override
  public List<Enqueued> enqueueAll(Collection<EventEnvelope> messages) {
    return producer.enqueue(copied(messages));
  }

  @Override
  public List<Enqueued> enqueueAll(Connection connection, Collection<EventEnvelope> messages) {
    return producer.enqueue(requireNonNull(connection, "connection"), copied(messages));
  }

  private static List<EventEnvelope> copied(Collection<EventEnvelope> messages) {
    List<EventEnvelope> all = new ArrayList<>(requireNonNull(messages, "messages"));
    for (int i = 0; i < all.size(); i++) {
      requireNonNull(all.get(i), "messages[" + i + "]");
    }
    return all;
  }

  @Override
  public Joins joins() {
    if (joins == null) {
      throw new IllegalStateException("this outbox has no joins; build it with joins(…)");
    }
    return joins;
  }

  @Override
  public Optional<MessageId> findByKey(@Nullable String tenantId, String idempotencyKey) {
    return producer.findByKey(tenantId, idempotencyKey);
  }

  @Override
  public Optional<MessageId> findByKey(
      Connection connection, @Nullable String tenantId, String idempotencyKey) {
    return producer.findByKey(requireNonNull(connection, "connection"), tenantId, idempotencyKey);
  }

  @Override
  public List<OutboxMessage> claim(OwnerToken owner, Duration lease, int batchSize) {
    requireNonNull(owner, "owner");
    requirePositive("lease", lease);
    if (batchSize < 1) {
      throw new IllegalArgumentException("batchSize (" + batchSize + ") must be at least 1");
    }
    log.leaseAskedFor(lease);
    return claims.claim(owner, lease, batchSize);
  }

  @Override
  public Set<MessageId> ack(OwnerToken owner, Collection<MessageId> ids) {
    Set<MessageId> acked =
        change(owner, ids, (connection, rest) -> store.ack(connection, owner.value(), rest));
    order.ended(values(acked));
    return acked;
  }

  @Override
  public Set<MessageId> abandon(
      OwnerToken owner,
      Collection<MessageId> ids,
      @Nullable String error,
      @Nullable Duration delay) {
    requireNonNull(owner, "owner");
    if (delay == null) {
      return messageIds(transitions.abandon(owner, values(ids), error));
    }
    requireNotNegative("delay", delay);
    return forLater(
        delay,
        change(
            owner,
            ids,
            (connection, rest) ->
                store.abandon(connection, owner.value(), failures(rest, delay, error))));
  }

  @Override
  public Set<MessageId> defer(OwnerToken owner, Collection<MessageId> ids, Duration delay) {
    requireNotNegative("delay", delay);
    return forLater(
        delay,
        change(
            owner, ids, (connection, rest) -> store.defer(connection, owner.value(), rest, delay)));
  }

  @Override
  public Set<MessageId> renew(OwnerToken owner, Collection<MessageId> ids, Duration lease) {
    requirePositive("lease", lease);
    log.leaseAskedFor(lease);
    return change(
        owner, ids, (connection, rest) -> store.renew(connection, owner.value(), rest, lease));
  }

  @Override
  public Set<MessageId> fail(OwnerToken owner, Collection<MessageId> ids, String error) {
    requireNonNull(error, "error");
    return change(
        owner,
        ids,
        (connection, rest) ->
            store.fail(connection, owner.value(), failures(rest, Duration.ZERO, error)));
  }

  @Override
  public int reapExpired() {
    return claims.reapExpired();
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  private Set<MessageId> forLater(Duration delay, Set<MessageId> changed) {
    if (!changed.isEmpty()) {
      storedForLater(delay);
    }
    return changed;
  }

  private void storedForLater(Duration delay) {
    onStoredForLater.dueAfter(delay);
  }

  private Set<MessageId> change(
      OwnerToken owner, Collection<MessageId> ids, QueueTransitions.Change change) {
    return messageIds(transitions.apply(requireNonNull(owner, "owner"), values(ids), change));
  }

  private static List<Failure> failures(
      Collection<String> ids, Duration delay, @Nullable String error) {
    return ids.stream().map(id -> new Failure(id, delay, error)).toList();
  }

  private static Set<String> values(Collection<MessageId> ids) {
    return requireNonNull(ids, "ids").stream()
        .map(MessageId::value)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Set<MessageId> messageIds(Set<String> ids) {
    Set<MessageId> typed = new LinkedHashSet<>(ids.size() * 2);
    ids.forEach(id -> typed.add(new MessageId(id)));
    return Collections.unmodifiableSet(typed);
  }

  private static void requirePositive(String name, Duration value) {
    if (requireNonNull(value, name).isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " (" + value + ") must be positive");
    }
  }

  private static void requireNotNegative(String name, Duration value) {
    if (requireNonNull(value, name).isNegative()) {
      throw new IllegalArgumentException(name + " (" + value + ") must not be negative");
    }
  }
}
