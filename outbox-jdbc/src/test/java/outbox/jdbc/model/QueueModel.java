package outbox.jdbc.model;

import static java.util.Comparator.comparing;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;

/** What the work queue is to do, in as few words as can be. */
final class QueueModel implements Queue {
  private final Map<String, ModelMessage> messages = new TreeMap<>();
  private final boolean deletesWhenDone;
  private Instant now = START;
  private Map<String, Row> outcome = Map.of();

  QueueModel(boolean deletesWhenDone) {
    this.deletesWhenDone = deletesWhenDone;
  }

  /**
   * Which of those that became available at the same instant, and which of several that may be
   * poison.
   */
  @Override
  public void choosesAsIn(Map<String, Row> table) {
    this.outcome = table;
  }

  Instant now() {
    return now;
  }

  void put(ModelMessage message) {
    messages.put(message.id, message);
  }

  @Override
  public Instant tick(Duration by) {
    now = now.plus(by);
    return now;
  }

  @Override
  public List<String> enqueue(List<Draft> drafts, Transaction transaction) {
    if (transaction != Transaction.ROLLED_BACK) {
      drafts.forEach(draft -> messages.put(draft.id(), new ModelMessage(draft, now)));
    }
    return drafts.stream().map(Draft::id).toList();
  }

  /** Goes on until it has something to hand out or nothing is due. */
  @Override
  public Set<Claimed> claim(String owner, Duration lease, int batchSize) {
    Set<Claimed> handedOut = new HashSet<>();
    List<ModelMessage> taken;
    do {
      taken =
          messages.values().stream()
              .filter(message -> message.isLive() && !message.availableAt.isAfter(now))
              .sorted(
                  comparing((ModelMessage message) -> message.availableAt).thenComparing(asIn()))
              .limit(batchSize)
              .toList();
      taken.forEach(message -> message.take(owner, now.plus(lease)));
      handOut(taken, handedOut);
    } while (handedOut.isEmpty() && !taken.isEmpty());
    return handedOut;
  }

  /** One under which a lease ran out after a takeover comes alone. */
  private void handOut(List<ModelMessage> taken, Set<Claimed> handedOut) {
    ModelMessage offender =
        taken.stream()
            .filter(message -> message.isOffender() && !isExpired(message))
            .filter(message -> message.leaseExpiries < MAX_LEASE_EXPIRIES)
            .min(comparing(this::isGivenBack))
            .orElse(null);
    for (ModelMessage message : taken) {
      if (isExpired(message)) {
        message.end("expired", now);
      } else if (message.leaseExpiries >= MAX_LEASE_EXPIRIES) {
        message.end(
            "poisoned: its lease expired " + message.leaseExpiries + " times while it ran", now);
      } else if (offender != null && message != offender) {
        message.giveBack(now);
      } else {
        handedOut.add(message.handOut());
      }
    }
  }

  private boolean isExpired(ModelMessage message) {
    return message.expiresAt != null && !message.expiresAt.isAfter(now);
  }

  @Override
  public Set<String> ack(String owner, Collection<String> ids) {
    return change(
        owner,
        ids,
        message -> {
          message.done(now);
          if (deletesWhenDone) {
            messages.remove(message.id);
          }
        });
  }

  @Override
  public Set<String> abandon(
      String owner, Collection<String> ids, @Nullable String error, @Nullable Duration delay) {
    return change(
        owner,
        ids,
        message -> {
          int deliveries = message.attempts + 1;
          if (delay != null) {
            message.retry(now.plus(delay), error);
          } else if (deliveries < MAX_ATTEMPTS) {
            message.retry(now.plusSeconds(Math.min(60, 1L << deliveries)), error);
          } else {
            message.end(error == null ? "failed " + deliveries + " times" : error, now);
          }
        });
  }

  @Override
  public Set<String> defer(String owner, Collection<String> ids, Duration delay) {
    return change(owner, ids, message -> message.defer(now.plus(delay)));
  }

  @Override
  public Set<String> release(String owner, Collection<String> ids) {
    return defer(owner, ids, Duration.ZERO);
  }

  @Override
  public Set<String> renew(String owner, Collection<String> ids, Duration lease) {
    return change(owner, ids, message -> message.availableAt = now.plus(lease));
  }

  @Override
  public Set<String> fail(String owner, Collection<String> ids, String error) {
    return change(owner, ids, message -> message.end(error, now));
  }

  @Override
  public int reapExpired() {
    List<ModelMessage> expired =
        messages.values().stream()
            .filter(message -> message.isLive() && message.owner != null)
            .filter(message -> message.availableAt.isBefore(now))
            .toList();
    expired.forEach(ModelMessage::reap);
    return expired.size();
  }

  @Override
  public Map<String, Row> rows() {
    Map<String, Row> rows = new TreeMap<>();
    messages.forEach((id, message) -> rows.put(id, message.row()));
    return rows;
  }

  /** The fence: what is live and the owner's, however late, changes; all else stays. */
  private Set<String> change(
      String owner, Collection<String> ids, Consumer<ModelMessage> transition) {
    Set<String> changed = new TreeSet<>();
    for (String id : ids) {
      ModelMessage message = messages.get(id);
      if (message != null && message.isLive() && owner.equals(message.owner)) {
        transition.accept(message);
        changed.add(id);
      }
    }
    return changed;
  }

  private Comparator<ModelMessage> asIn() {
    return comparing(
            (ModelMessage message) -> {
              Row row = outcome.get(message.id);
              boolean untouched = message.row().equals(row);
              return untouched ? 2 : row != null && row.status().isLive() ? 1 : 0;
            })
        .thenComparing(message -> message.id);
  }

  private boolean isGivenBack(ModelMessage message) {
    Row row = outcome.get(message.id);
    return row != null && row.owner() == null;
  }
}
