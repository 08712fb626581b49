package outbox.internal.queue;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxMessage;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;

/**
 * Decides which of the claimed messages a worker gets. Whatever it gets counts as started, so that
 * a message which kills its workers is counted by the leases that expire, and ends. Since a worker
 * holds many at once, a message that has been counted before comes alone: the innocent are done
 * then, and only the guilty one is counted again.
 */
final class ClaimTriage {
  private final LeasedEventStore store;
  private final int maxLeaseExpiries;
  private final QueueLog log;
  private final List<OutboxMessage> messages = new ArrayList<>();
  private final List<Failure> dead = new ArrayList<>();
  private final Set<String> started = new TreeSet<>();
  private final Set<String> givenBack = new TreeSet<>();
  private @Nullable String offender;

  ClaimTriage(LeasedEventStore store, int maxLeaseExpiries, QueueLog log) {
    this.store = store;
    this.maxLeaseExpiries = maxLeaseExpiries;
    this.log = log;
  }

  /** Stores the decisions, if there are any to store; returns what the worker gets. */
  List<OutboxMessage> of(
      Connection connection, String owner, Duration lease, List<ClaimedEvent> claimed) {
    offender =
        claimed.stream()
            .filter(this::isOffender)
            .map(each -> each.event().eventId())
            .findFirst()
            .orElse(null);
    claimed.forEach(this::decide);
    if (dead.isEmpty() && givenBack.isEmpty() && started.isEmpty()) {
      return messages;
    }
    Settled settled = store.inTransaction(connection, () -> settle(connection, owner, lease));
    dead.stream()
        .filter(failure -> settled.ended().contains(failure.eventId()))
        .forEach(failure -> log.ended(failure.eventId(), String.valueOf(failure.error())));
    return messages.stream()
        .filter(message -> !settled.notStarted().contains(message.id().value()))
        .toList();
  }

  private void decide(ClaimedEvent claimed) {
    OutboxEvent event = claimed.event();
    if (claimed.leaseExpiries() >= maxLeaseExpiries) {
      kill(event, "poisoned: its lease expired " + claimed.leaseExpiries() + " times while it ran");
    } else if (offender != null && !event.eventId().equals(offender)) {
      givenBack.add(event.eventId());
    } else {
      accept(claimed);
    }
  }

  /**
   * Whether a lease expired under it before, and it may have been the one that ended its worker.
   */
  private boolean isOffender(ClaimedEvent claimed) {
    return claimed.suspect()
        && claimed.leaseExpiries() > 0
        && claimed.leaseExpiries() < maxLeaseExpiries
        && maxLeaseExpiries < Integer.MAX_VALUE;
  }

  private void accept(ClaimedEvent claimed) {
    OutboxEvent event = claimed.event();
    EventEnvelope envelope;
    try {
      envelope = EventEnvelope.of(event);
    } catch (RuntimeException e) {
      kill(event, "undecodable: " + e.getMessage());
      return;
    }
    messages.add(
        new OutboxMessage(
            envelope,
            event.createdAt(),
            event.attempts(),
            claimed.lastError(),
            claimed.leasedUntil(),
            null,
            null));
    if (claimed.suspect() && maxLeaseExpiries < Integer.MAX_VALUE) {
      started.add(event.eventId());
    }
  }

  private void kill(OutboxEvent event, String reason) {
    dead.add(new Failure(event.eventId(), Duration.ZERO, reason));
  }

  /**
   * A suspect whose start could not be recorded is not handed out: its start would not be counted.
   */
  private Settled settle(Connection connection, String owner, Duration lease) {
    Set<String> ended = store.fail(connection, owner, dead);
    Set<String> notStarted = new TreeSet<>(started);
    notStarted.removeAll(store.markStarted(connection, owner, started, lease));
    Set<String> back = new TreeSet<>(givenBack);
    back.addAll(notStarted);
    store.defer(connection, owner, back, Duration.ZERO);
    return new Settled(ended, notStarted);
  }

  /** What the store really changed. */
  private record Settled(Set<String> ended, Set<String> notStarted) {}
}
