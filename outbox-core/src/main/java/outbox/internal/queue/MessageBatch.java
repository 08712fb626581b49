package outbox.internal.queue;

import static java.util.Comparator.comparing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import outbox.EventEnvelope;
import outbox.Outbox.Enqueued;
import outbox.model.MessageId;

/**
 * The messages of one call. Of those with the same idempotency key the first is inserted for all of
 * them, and those with idempotency keys are inserted in the order of their keys: two transactions
 * that bring the same keys then wait for each other in one direction only. For the same reason
 * those with ordering keys come last, in the order of these keys, and in the order given for each.
 */
public final class MessageBatch {
  private final List<EventEnvelope> messages;
  private final Map<Key, EventEnvelope> firsts =
      new TreeMap<>(comparing(Key::tenantId).thenComparing(Key::value));

  public MessageBatch(List<EventEnvelope> messages) {
    this.messages = messages;
    for (EventEnvelope message : messages) {
      if (message.hasIdempotencyKey()) {
        firsts.putIfAbsent(Key.of(message), message);
      }
    }
  }

  /** What a store is to be given. */
  public List<EventEnvelope> toInsert() {
    boolean ordered = messages.stream().anyMatch(message -> message.orderingKey() != null);
    if (firsts.isEmpty() && !ordered) {
      return messages;
    }
    List<EventEnvelope> inOrder = new ArrayList<>(messages.size());
    messages.stream()
        .filter(message -> !message.hasIdempotencyKey() && message.orderingKey() == null)
        .forEach(inOrder::add);
    firsts.values().stream().filter(message -> message.orderingKey() == null).forEach(inOrder::add);
    if (ordered) {
      inOrder.addAll(byOrderingKey());
    }
    return inOrder;
  }

  private List<EventEnvelope> byOrderingKey() {
    Set<EventEnvelope> inserted = new HashSet<>(firsts.values());
    return messages.stream()
        .filter(message -> message.orderingKey() != null)
        .filter(message -> !message.hasIdempotencyKey() || inserted.contains(message))
        .sorted(comparing(message -> Objects.requireNonNull(message.orderingKey())))
        .toList();
  }

  /**
   * What became of the messages, in the order given.
   *
   * @param existing for those that the store left out, by their ids, the ids of those it has
   */
  public List<Enqueued> results(Map<String, String> existing) {
    Set<Key> seen = new HashSet<>();
    return messages.stream()
        .map(
            message ->
                message.hasIdempotencyKey() ? result(message, existing, seen) : isNew(message))
        .toList();
  }

  private Enqueued result(EventEnvelope message, Map<String, String> existing, Set<Key> seen) {
    Key key = Key.of(message);
    String inserted = firsts.getOrDefault(key, message).eventId();
    boolean repeated = !seen.add(key);
    return new Enqueued(
        new MessageId(existing.getOrDefault(inserted, inserted)),
        key.value(),
        repeated || existing.containsKey(inserted));
  }

  private static Enqueued isNew(EventEnvelope message) {
    return new Enqueued(new MessageId(message.eventId()), message.idempotencyKey(), false);
  }

  /** No tenant counts as one, and so does an empty one. */
  private record Key(String tenantId, String value) {
    static Key of(EventEnvelope message) {
      String tenant = message.tenantId();
      return new Key(tenant == null ? "" : tenant, message.idempotencyKey());
    }
  }
}
