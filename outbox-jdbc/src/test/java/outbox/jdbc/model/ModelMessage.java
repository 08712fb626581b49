package outbox.jdbc.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.model.Queue.Claimed;
import outbox.jdbc.model.Queue.Draft;
import outbox.model.EventStatus;

/** A message of the model, and what each transition makes of it. */
final class ModelMessage {
  final String id;
  final Instant createdAt;
  @Nullable Instant dueAt;
  final @Nullable Instant expiresAt;
  EventStatus status = EventStatus.NEW;
  Instant availableAt;
  int attempts;
  @Nullable String owner;
  @Nullable String lastError;
  @Nullable Instant doneAt;
  @Nullable String processedBy;

  /** Expired leases under which the message had been handed out after a takeover. */
  int leaseExpiries;

  private Suspicion suspicion = Suspicion.NONE;

  ModelMessage(Draft draft, Instant now) {
    this.id = draft.id();
    this.createdAt = now;
    this.dueAt = draft.due() == null ? null : now.plus(draft.due());
    this.expiresAt = draft.expiry() == null ? null : now.plus(draft.expiry());
    this.availableAt = notBeforeDue(now);
  }

  boolean isLive() {
    return status.isLive();
  }

  /** Its lease has run out under a worker that had it after a takeover: it may be poison. */
  boolean isOffender() {
    return suspicion != Suspicion.NONE && leaseExpiries > 0;
  }

  void take(String newOwner, Instant until) {
    if (owner != null) {
      leaseRanOut();
    }
    owner = newOwner;
    availableAt = until;
  }

  Claimed handOut() {
    if (suspicion == Suspicion.LEFT_BEHIND) {
      suspicion = Suspicion.TAKEN_OVER;
    }
    return new Claimed(id, "payload of " + id, attempts, lastError, availableAt, createdAt, dueAt);
  }

  /** No worker had it, so it is as suspect as before. */
  void giveBack(Instant now) {
    owner = null;
    availableAt = notBeforeDue(now);
  }

  void reap() {
    leaseRanOut();
    owner = null;
  }

  private void leaseRanOut() {
    if (suspicion == Suspicion.TAKEN_OVER) {
      leaseExpiries++;
    }
    suspicion = Suspicion.LEFT_BEHIND;
  }

  void defer(Instant until) {
    leave();
    availableAt = notBeforeDue(until);
  }

  void retry(Instant at, @Nullable String error) {
    leave();
    status = EventStatus.RETRY;
    attempts++;
    availableAt = notBeforeDue(at);
    lastError = error == null ? lastError : error;
  }

  void end(String error, Instant now) {
    leave();
    status = EventStatus.DEAD;
    attempts++;
    availableAt = now;
    lastError = error;
  }

  void done(Instant now) {
    processedBy = owner;
    leave();
    status = EventStatus.DONE;
    doneAt = now;
    lastError = null;
  }

  /** As if no lease had ever run out. */
  void forgetLeases() {
    suspicion = Suspicion.NONE;
    leaseExpiries = 0;
  }

  void leave() {
    owner = null;
    suspicion = Suspicion.NONE;
  }

  Instant notBeforeDue(Instant instant) {
    return dueAt != null && dueAt.isAfter(instant) ? dueAt : instant;
  }

  Row row() {
    return new Row(
        status,
        attempts,
        availableAt,
        createdAt,
        doneAt,
        owner,
        leaseExpiries,
        processedBy,
        lastError,
        id,
        null);
  }

  private enum Suspicion {
    NONE,
    /** By a lease that ran out. */
    LEFT_BEHIND,
    /** And then handed out again. */
    TAKEN_OVER
  }
}
