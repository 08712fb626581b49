package outbox.jdbc.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;

/** What queue and model have in common: every operation, and a clock that stands still. */
interface Queue extends Machine<Row> {
  Instant START = Instant.parse("2030-01-01T00:00:00Z");

  /** Deliveries after which a bare abandon ends a message. */
  int MAX_ATTEMPTS = 4;

  /** Counted expiries of leases after which a message is taken for poison. */
  int MAX_LEASE_EXPIRIES = 2;

  /** Moves the database's time on, or back; returns what it is then. */
  Instant tick(Duration by);

  List<String> enqueue(List<Draft> drafts, Transaction transaction);

  Set<Claimed> claim(String owner, Duration lease, int batchSize);

  Set<String> ack(String owner, Collection<String> ids);

  Set<String> abandon(
      String owner, Collection<String> ids, @Nullable String error, @Nullable Duration delay);

  Set<String> defer(String owner, Collection<String> ids, Duration delay);

  Set<String> release(String owner, Collection<String> ids);

  Set<String> renew(String owner, Collection<String> ids, Duration lease);

  Set<String> fail(String owner, Collection<String> ids, String error);

  int reapExpired();

  /** The transaction in which messages are enqueued. */
  enum Transaction {
    OWN,
    GIVEN,
    ROLLED_BACK
  }

  /** A message to be enqueued; due time and expiry are seen from the moment of the operation. */
  record Draft(String id, @Nullable Duration due, @Nullable Duration expiry) {
    @Override
    public String toString() {
      return id + (due == null ? "" : " due=" + due) + (expiry == null ? "" : " expiry=" + expiry);
    }
  }

  /** What is known of a message that was handed out. */
  record Claimed(
      String id,
      String payload,
      int retryCount,
      @Nullable String lastError,
      @Nullable Instant lockedUntil,
      Instant createdAt,
      @Nullable Instant dueTime) {}
}
