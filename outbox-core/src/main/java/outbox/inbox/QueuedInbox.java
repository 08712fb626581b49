package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;

/** The work queue of the outbox on the events of an inbox: keys outside, event ids inside. */
final class QueuedInbox implements InboxWorkStore {
  private final ConnectionProvider connections;
  private final InboxStore store;
  private final Outbox queue;

  QueuedInbox(InboxBuilder setup) {
    this.connections = setup.connections;
    this.store = setup.store;
    this.queue = setup.queue.build();
  }

  @Override
  public List<InboxMessage> claim(OwnerToken owner, Duration lease, int batchSize) {
    return queue.claim(owner, lease, batchSize).stream().map(InboxMessage::of).toList();
  }

  @Override
  public Set<InboxKey> ack(OwnerToken owner, Collection<InboxKey> keys) {
    requireNonNull(owner, "owner");
    return change(keys, ids -> queue.ack(owner, ids));
  }

  @Override
  public Set<InboxKey> abandon(
      OwnerToken owner,
      Collection<InboxKey> keys,
      @Nullable String lastError,
      @Nullable Duration delay) {
    requireNonNull(owner, "owner");
    if (delay != null && (delay.isZero() || delay.isNegative())) {
      throw new IllegalArgumentException(
          "delay (" + delay + ") must be positive; leave it out for the default backoff");
    }
    String error = lastError == null || lastError.isEmpty() ? null : lastError;
    return change(keys, ids -> queue.abandon(owner, ids, error, delay));
  }

  @Override
  public Set<InboxKey> fail(OwnerToken owner, Collection<InboxKey> keys, String error) {
    requireNonNull(owner, "owner");
    requireNonNull(error, "error");
    return change(keys, ids -> queue.fail(owner, ids, error));
  }

  @Override
  public int reapExpired() {
    return queue.reapExpired();
  }

  @Override
  public Optional<InboxMessage> get(InboxKey key) {
    requireNonNull(key, "key");
    return connections.inAutoCommit(connection -> store.find(connection, key));
  }

  private Set<InboxKey> change(
      Collection<InboxKey> keys, Function<Collection<MessageId>, Set<MessageId>> change) {
    List<InboxKey> all = requireNonNull(keys, "keys").stream().distinct().toList();
    if (all.isEmpty()) {
      return Set.of();
    }
    Map<MessageId, InboxKey> byId = new HashMap<>();
    connections
        .inAutoCommit(connection -> store.eventIds(connection, all))
        .forEach((key, id) -> byId.put(new MessageId(id), key));
    return change.apply(byId.keySet()).stream()
        .map(id -> requireNonNull(byId.get(id)))
        .collect(Collectors.toUnmodifiableSet());
  }
}
