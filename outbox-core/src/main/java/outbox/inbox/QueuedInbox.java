package outbox.inbox;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/**
 * The work queue of the outbox on the events of an inbox: messages outside, event ids inside.
 *
 * <p>A token is its owner's for as long as he likes, and so may stand on a message whose content he
 * knows and again on one whose content he does not. Before a transition the message is therefore
 * pinned: put under a token that only this content of it can have. Pinning waits for the locks of
 * the rows, and the transition follows in the same transaction, so it finds none of them locked.
 */
final class QueuedInbox implements InboxWorkStore {
  private static final int MAX_TOKEN_LENGTH = 64;

  private final SharedTransaction transaction;
  private final InboxStore store;
  private final Outbox queue;

  QueuedInbox(InboxBuilder setup) {
    this.transaction = setup.transaction;
    this.store = setup.store;
    this.queue = setup.queue.build();
  }

  @Override
  public List<InboxMessage> claim(OwnerToken owner, Duration lease, int batchSize) {
    return queue.claim(owner, lease, batchSize).stream().map(InboxMessage::of).toList();
  }

  @Override
  public Set<InboxKey> ack(OwnerToken owner, Collection<InboxMessage> messages) {
    return change(owner, messages, queue::ack);
  }

  @Override
  public Set<InboxKey> abandon(
      OwnerToken owner,
      Collection<InboxMessage> messages,
      @Nullable String lastError,
      @Nullable Duration delay) {
    if (delay != null && (delay.isZero() || delay.isNegative())) {
      throw new IllegalArgumentException(
          "delay (" + delay + ") must be positive; leave it out for the default backoff");
    }
    String error = lastError == null || lastError.isEmpty() ? null : lastError;
    return change(owner, messages, (token, ids) -> queue.abandon(token, ids, error, delay));
  }

  @Override
  public Set<InboxKey> fail(OwnerToken owner, Collection<InboxMessage> messages, String error) {
    requireNonNull(error, "error");
    return change(owner, messages, (token, ids) -> queue.fail(token, ids, error));
  }

  @Override
  public int reapExpired() {
    return queue.reapExpired();
  }

  @Override
  public Optional<InboxMessage> get(InboxKey key) {
    requireNonNull(key, "key");
    return transaction.inAutoCommit(connection -> store.find(connection, key));
  }

  private Set<InboxKey> change(
      OwnerToken owner, Collection<InboxMessage> messages, Transition transition) {
    requireNonNull(owner, "owner");
    Map<Integer, Set<InboxKey>> byVersion =
        requireNonNull(messages, "messages").stream()
            .collect(groupingBy(InboxMessage::contentVersion, mapping(InboxMessage::key, toSet())));
    return byVersion.isEmpty()
        ? Set.of()
        : transaction.run(() -> changed(owner, byVersion, transition));
  }

  private Set<InboxKey> changed(
      OwnerToken owner, Map<Integer, Set<InboxKey>> byVersion, Transition transition) {
    Set<InboxKey> changed = new HashSet<>();
    byVersion.forEach(
        (version, keys) -> {
          OwnerToken pinned = pinned(owner, version);
          changed.addAll(byKey(transition, pinned, pin(owner, pinned, version, keys)));
        });
    return Set.copyOf(changed);
  }

  /** By event id, those that are what they are taken for. */
  private Map<MessageId, InboxKey> pin(
      OwnerToken owner, OwnerToken pinned, int version, Set<InboxKey> keys) {
    Map<MessageId, InboxKey> byId = new HashMap<>();
    transaction
        .inAutoCommit(
            connection -> store.pin(connection, owner.value(), pinned.value(), version, keys))
        .forEach((key, id) -> byId.put(new MessageId(id), key));
    return byId;
  }

  private static Set<InboxKey> byKey(
      Transition transition, OwnerToken token, Map<MessageId, InboxKey> byId) {
    return byId.isEmpty()
        ? Set.of()
        : transition.apply(token, byId.keySet()).stream()
            .map(id -> requireNonNull(byId.get(id)))
            .collect(toSet());
  }

  /** Derives one token from owner and version, so that a transition in doubt can be repeated. */
  private static OwnerToken pinned(OwnerToken owner, int version) {
    String token = owner.value() + "@" + version;
    return new OwnerToken(
        token.length() <= MAX_TOKEN_LENGTH
            ? token
            : UUID.nameUUIDFromBytes(token.getBytes(StandardCharsets.UTF_8)).toString());
  }

  /** One of the queue's; returns the ids that it changed. */
  @FunctionalInterface
  private interface Transition {
    Set<MessageId> apply(OwnerToken owner, Collection<MessageId> ids);
  }
}
