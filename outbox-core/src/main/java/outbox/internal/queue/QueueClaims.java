package outbox.internal.queue;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import outbox.OutboxMessage;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** How workers get messages out of the queue, and how leases that expired are cleared. */
final class QueueClaims {
  private static final long MAX_CLAIM_BYTES = 64L << 20;

  /** Leaves what a node of schema version 1 has just written to that node's own memory. */
  private static final Duration SKIP_RECENT = Duration.ofSeconds(1);

  private static final int REAP_LIMIT = 1_000;

  private final ConnectionProvider connections;
  private final LeasedEventStore store;
  private final int maxLeaseExpiries;
  private final QueueOrder order;
  private final QueueLog log;

  QueueClaims(
      ConnectionProvider connections,
      LeasedEventStore store,
      int maxLeaseExpiries,
      QueueOrder order,
      QueueLog log) {
    this.connections = connections;
    this.store = store;
    this.maxLeaseExpiries = maxLeaseExpiries;
    this.order = order;
    this.log = log;
  }

  List<OutboxMessage> claim(OwnerToken owner, Duration lease, int batchSize) {
    ClaimRequest request =
        new ClaimRequest(owner.value(), lease, batchSize, MAX_CLAIM_BYTES, null, SKIP_RECENT);
    return connections.inAutoCommit(connection -> claim(connection, owner, request));
  }

  /** A batch in which all have ended says nothing about those behind it. */
  private List<OutboxMessage> claim(Connection connection, OwnerToken owner, ClaimRequest request) {
    Claimed claimed;
    List<OutboxMessage> messages;
    do {
      claimed = store.claim(connection, request);
      claimed.ended().forEach(event -> log.ended(event.eventId(), LeasedEventStore.EXPIRED));
      messages = handOut(connection, request, claimed.events());
      log.claimed(owner, messages.size(), claimed.expired());
    } while (messages.isEmpty()
        && (claimed.expired() > 0 || !claimed.events().isEmpty() || order.sweep(connection)));
    order.claimed(messages);
    return messages;
  }

  /** What the caller never gets is given back: its lease is the claim's, which has committed. */
  private List<OutboxMessage> handOut(
      Connection connection, ClaimRequest request, List<ClaimedEvent> claimed) {
    try {
      return new ClaimTriage(store, maxLeaseExpiries, log)
          .of(connection, request.owner(), request.lease(), claimed);
    } catch (RuntimeException e) {
      try {
        List<String> ids = claimed.stream().map(each -> each.event().eventId()).toList();
        store.defer(connection, request.owner(), ids, Duration.ZERO);
      } catch (RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  int reapExpired() {
    int total = 0;
    int reaped;
    do {
      reaped =
          connections.inAutoCommit(
              connection ->
                  store.reapExpired(connection, Duration.ZERO, REAP_LIMIT, Integer.MAX_VALUE));
      total += reaped;
    } while (reaped == REAP_LIMIT && !Thread.currentThread().isInterrupted());
    log.reaped(total);
    return total;
  }
}
