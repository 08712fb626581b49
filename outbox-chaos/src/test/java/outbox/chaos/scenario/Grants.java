package outbox.chaos.scenario;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.OutboxMessage;
import outbox.model.MessageId;

/** Each handing-out of each message, and until when it held by the database's clock. */
final class Grants {
  private final Duration lease;
  private final Map<MessageId, List<Grant>> byMessage = new ConcurrentHashMap<>();
  private final AtomicInteger acknowledged = new AtomicInteger();

  Grants(Duration lease) {
    this.lease = lease;
  }

  /** Notes a claimed batch. */
  Map<MessageId, Grant> add(Collection<OutboxMessage> claimed) {
    Map<MessageId, Grant> batch = new HashMap<>();
    for (OutboxMessage message : claimed) {
      Instant until = requireNonNull(message.lockedUntil());
      Grant grant = new Grant(until.minus(lease), until);
      byMessage.computeIfAbsent(message.id(), id -> new CopyOnWriteArrayList<>()).add(grant);
      batch.put(message.id(), grant);
    }
    return batch;
  }

  /** Notes what the queue says has ended by this. */
  void ended(Map<MessageId, Grant> batch, Collection<MessageId> changed, End end) {
    changed.forEach(id -> requireNonNull(batch.get(id)).end = end);
    if (end == End.ACKNOWLEDGED) {
      acknowledged.addAndGet(changed.size());
    }
  }

  int acknowledged() {
    return acknowledged.get();
  }

  int messages() {
    return byMessage.size();
  }

  long count(End end) {
    return byMessage.values().stream()
        .flatMap(List::stream)
        .filter(grant -> grant.end == end)
        .count();
  }

  /** A message is handed out again only after a lease's end, and never once it is acknowledged. */
  void assertNoTwoAtOnce() {
    byMessage.forEach(
        (id, unordered) -> {
          List<Grant> grants = unordered.stream().sorted(comparing(Grant::from)).toList();
          for (int i = 1; i < grants.size(); i++) {
            Grant earlier = grants.get(i - 1);
            assertThat(earlier.end).as("%s", id).isNotEqualTo(End.ACKNOWLEDGED);
            if (earlier.end == End.NONE) {
              assertThat(grants.get(i).from).as("%s", id).isAfterOrEqualTo(earlier.until);
            }
          }
          assertThat(grants.get(grants.size() - 1).end).as("%s", id).isEqualTo(End.ACKNOWLEDGED);
        });
  }

  /** How a grant ended before its time, if it did. */
  enum End {
    NONE,
    GIVEN_BACK,
    ACKNOWLEDGED
  }

  /** One lease of one message. */
  static final class Grant {
    private final Instant from;
    private final Instant until;
    private volatile End end = End.NONE;

    private Grant(Instant from, Instant until) {
      this.from = from;
      this.until = until;
    }

    private Instant from() {
      return from;
    }
  }
}
