package outbox.testing.memory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.DeadLetter;
import outbox.model.EventStatus;
import outbox.model.ListenerStates;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.Lease;

/**
 * A row of the {@link InMemoryEventStore} at one moment. Immutable; each transition gives the next
 * row.
 *
 * @param availableAt from when on anyone may take it: its due time, retry time or end of lease
 * @param owner the token that holds it, null if it is not leased
 * @param started 0 unknown, 1 left behind by an expired lease, 2 and then started again
 * @param leaseExpiries how often a lease expired after the start had been recorded
 * @param listeners what became of its listeners in failed deliveries; null if nothing is known
 * @param replays how often it was brought back from the dead
 */
public record StoredEvent(
    OutboxEvent event,
    EventStatus status,
    Instant availableAt,
    @Nullable String owner,
    int started,
    int leaseExpiries,
    @Nullable Instant doneAt,
    @Nullable String processedBy,
    @Nullable String lastError,
    @Nullable String listeners,
    Replays replays) {
  private static final int MAX_ERROR_LENGTH = 4000;
  private static final int SUSPECT = 1;
  private static final int STARTED = 2;

  static StoredEvent inserted(EventEnvelope envelope, @Nullable Lease lease, Instant now) {
    OutboxEvent event =
        envelope
            .toEvent(now)
            .inboxEntry(null)
            .occurredAt(micros(envelope.occurredAt()))
            .dueAt(micros(envelope.dueAt()))
            .expiresAt(micros(envelope.expiresAt()))
            .build();
    Instant free = lease == null ? now : now.plus(lease.duration());
    return new StoredEvent(
        event,
        EventStatus.NEW,
        notBeforeDue(event, free),
        lease == null ? null : lease.owner(),
        0,
        0,
        null,
        null,
        null,
        null,
        Replays.NONE);
  }

  /** Until when the owner holds it; empty if it is not leased. */
  public Optional<Instant> leasedUntil() {
    return owner == null ? Optional.empty() : Optional.of(availableAt);
  }

  /** Left behind by a lease that expired, so that its next start must be recorded. */
  public boolean suspect() {
    return started == SUSPECT;
  }

  boolean ownedBy(String token) {
    return status.isLive() && token.equals(owner);
  }

  /** Behind an earlier event of its ordering key. */
  StoredEvent waiting() {
    return withStatus(EventStatus.WAITING, availableAt);
  }

  /** The first of its ordering key. */
  StoredEvent started(Instant now) {
    return withStatus(EventStatus.NEW, notBeforeDue(event, now));
  }

  private StoredEvent withStatus(EventStatus other, Instant from) {
    return new StoredEvent(
        event,
        other,
        from,
        owner,
        started,
        leaseExpiries,
        doneAt,
        processedBy,
        lastError,
        listeners,
        replays);
  }

  StoredEvent claimed(String newOwner, Instant until) {
    return new StoredEvent(
        event,
        status,
        until,
        newOwner,
        nextStarted(),
        nextExpiries(),
        doneAt,
        processedBy,
        lastError,
        listeners,
        replays);
  }

  StoredEvent reaped() {
    return new StoredEvent(
        event,
        status,
        availableAt,
        null,
        SUSPECT,
        nextExpiries(),
        doneAt,
        processedBy,
        lastError,
        listeners,
        replays);
  }

  StoredEvent leasedUntil(Instant until, boolean starting) {
    return new StoredEvent(
        event,
        status,
        until,
        owner,
        starting ? STARTED : started,
        leaseExpiries,
        doneAt,
        processedBy,
        lastError,
        listeners,
        replays);
  }

  StoredEvent done(Instant now) {
    return new StoredEvent(
        event,
        EventStatus.DONE,
        availableAt,
        null,
        0,
        leaseExpiries,
        now,
        owner,
        null,
        null,
        replays);
  }

  StoredEvent deferred(Instant until, @Nullable String states) {
    return new StoredEvent(
        event,
        status,
        notBeforeDue(event, until),
        null,
        suspect() ? SUSPECT : 0,
        leaseExpiries,
        doneAt,
        processedBy,
        lastError,
        states == null ? listeners : states,
        replays);
  }

  StoredEvent abandoned(Failure failure, Instant now) {
    String error = failure.error() == null ? lastError : failure.error();
    return retry(notBeforeDue(event, now.plus(failure.delay())), error, statesAfter(failure));
  }

  private @Nullable String statesAfter(Failure failure) {
    return failure.listeners() == null ? listeners : failure.listeners();
  }

  StoredEvent retry(Instant nextAt, @Nullable String error) {
    return retry(nextAt, error, listeners);
  }

  private StoredEvent retry(Instant nextAt, @Nullable String error, @Nullable String states) {
    return new StoredEvent(
        attemptedOnceMore(),
        EventStatus.RETRY,
        nextAt,
        null,
        0,
        leaseExpiries,
        null,
        null,
        fit(error),
        states,
        replays);
  }

  StoredEvent failed(Failure failure, Instant now) {
    return new StoredEvent(
        attemptedOnceMore(),
        EventStatus.DEAD,
        now,
        null,
        0,
        leaseExpiries,
        null,
        null,
        fit(failure.error()),
        statesAfter(failure),
        replays);
  }

  StoredEvent dead(@Nullable String error, Instant now) {
    return new StoredEvent(
        event,
        EventStatus.DEAD,
        now,
        null,
        0,
        leaseExpiries,
        null,
        null,
        fit(error),
        listeners,
        replays);
  }

  /** NEW again, with nothing counted; an expiry that has passed no longer holds. */
  StoredEvent replayed(@Nullable String by, boolean failedOnly, Instant now) {
    return again(fresh(now), by, failedOnly, now);
  }

  private StoredEvent again(
      OutboxEvent fresh, @Nullable String by, boolean failedOnly, Instant now) {
    return new StoredEvent(
        fresh,
        EventStatus.NEW,
        notBeforeDue(fresh, now),
        null,
        0,
        0,
        null,
        null,
        lastError,
        failedOnly ? ListenerStates.replayed(listeners) : null,
        new Replays(replays.count() + 1, now, by));
  }

  private OutboxEvent fresh(Instant now) {
    Instant expiry = event.expiresAt();
    return changed(
        0, notBeforeDue(event, now), expiry != null && expiry.isAfter(now) ? expiry : null);
  }

  /** DONE without having been handled. */
  StoredEvent discarded(String by, String error, Instant now) {
    return new StoredEvent(
        event,
        EventStatus.DONE,
        availableAt,
        null,
        0,
        leaseExpiries,
        now,
        by,
        fit(error),
        listeners,
        replays);
  }

  StoredEvent withoutPayload() {
    return new StoredEvent(
        event.withoutPayload(),
        status,
        availableAt,
        owner,
        started,
        leaseExpiries,
        doneAt,
        processedBy,
        lastError,
        listeners,
        replays);
  }

  boolean hasPayload() {
    return event.payloadJson() != null || event.payloadBytes() != null;
  }

  boolean isDoneBefore(Instant instant) {
    return status == EventStatus.DONE && doneAt != null && doneAt.isBefore(instant);
  }

  DeadLetter letter() {
    return new DeadLetter(
        event,
        availableAt,
        lastError,
        ListenerStates.parse(listeners),
        replays.count(),
        replays.at(),
        replays.by());
  }

  private int nextStarted() {
    return owner != null || started > 0 ? SUSPECT : 0;
  }

  private int nextExpiries() {
    return owner != null && started == STARTED ? leaseExpiries + 1 : leaseExpiries;
  }

  private OutboxEvent attemptedOnceMore() {
    return changed(event.attempts() + 1, event.dueAt(), event.expiresAt());
  }

  private OutboxEvent changed(int attempts, @Nullable Instant dueAt, @Nullable Instant expiresAt) {
    return event.toBuilder().attempts(attempts).dueAt(dueAt).expiresAt(expiresAt).build();
  }

  private static Instant notBeforeDue(OutboxEvent event, Instant instant) {
    Instant due = event.dueAt();
    return due != null && due.isAfter(instant) ? due : instant;
  }

  private static @Nullable Instant micros(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.MICROS);
  }

  /** Cuts between code points and replaces what no text column can hold. */
  private static @Nullable String fit(@Nullable String error) {
    if (error == null) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    error
        .codePoints()
        .map(
            point -> point == 0 || Character.getType(point) == Character.SURROGATE ? 0xFFFD : point)
        .limit(MAX_ERROR_LENGTH)
        .forEach(text::appendCodePoint);
    if (text.length() > MAX_ERROR_LENGTH) {
      boolean splitsPair = Character.isHighSurrogate(text.charAt(MAX_ERROR_LENGTH - 1));
      text.setLength(splitsPair ? MAX_ERROR_LENGTH - 1 : MAX_ERROR_LENGTH);
    }
    return text.toString();
  }

  /**
   * What is kept of replays.
   *
   * @param at when it was last replayed; null if never
   * @param by who did; null if it never was
   */
  public record Replays(int count, @Nullable Instant at, @Nullable String by) {
    static final Replays NONE = new Replays(0, null, null);
  }
}
