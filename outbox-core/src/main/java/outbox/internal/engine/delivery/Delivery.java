package outbox.internal.engine.delivery;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.engine.delivery.Run.Reason;
import outbox.internal.text.LogText;
import outbox.model.DeadLetter;
import outbox.model.ListenerStates;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/**
 * One event in the hands of this process, from its admission until its outcome is stored: facts
 * that never change, the lease that it is held by, its {@link Run} and its {@link Stage}.
 *
 * <p>Any thread may renew or replace the lease and cancel the run. The stage moves on the thread
 * that has the delivery in hand, a worker first and a flush then; a move that the stage does not
 * allow throws {@link IllegalStateException}.
 */
public final class Delivery implements Work {
  public static final long BYTES_BESIDE_PAYLOAD = 512;

  private final Origin origin;
  private final String id;
  private final String eventType;
  private final String key;
  private final @Nullable String orderingKey;
  private final int attempts;
  private final Instant createdAt;
  private final int contentVersion;
  private final @Nullable String lastError;
  private final StoreTime time;

  private final Run run = new Run(this);
  private final AtomicReference<Hold> hold;
  private volatile Stage stage = Stage.WAITING;
  private volatile @Nullable Outcome outcome;
  private volatile @Nullable EventEnvelope envelope;
  private volatile @Nullable OutboxEvent remains;
  private volatile @Nullable String name;

  /** What the claim said, be it one by id that the worker made. */
  private ListenerStates listeners;

  private volatile boolean followed;
  private volatile boolean suspect;
  private volatile int leaseExpiries;

  /**
   * Token and local deadline change together. A null owner means that the row is not leased yet.
   */
  public record Hold(@Nullable String owner, long deadline) {}

  private Delivery(
      Origin origin,
      String id,
      String eventType,
      @Nullable EventEnvelope envelope,
      @Nullable String orderingKey,
      int attempts,
      Instant createdAt,
      Hold hold,
      StoreTime time,
      int contentVersion,
      @Nullable String lastError) {
    this.origin = origin;
    this.id = id;
    this.eventType = eventType;
    this.envelope = envelope;
    this.key = envelope == null ? id : envelope.idempotencyKey();
    this.orderingKey = orderingKey;
    this.attempts = attempts;
    this.createdAt = createdAt;
    this.hold = new AtomicReference<>(hold);
    this.time = time;
    this.contentVersion = contentVersion;
    this.lastError = lastError;
    this.listeners = ListenerStates.NONE;
  }

  /**
   * An event that a poller has claimed.
   *
   * @param time by which its age and its expiry are judged
   */
  public static Delivery claimed(
      Origin origin, EventEnvelope envelope, ClaimedEvent claimed, Hold hold, StoreTime time) {
    OutboxEvent event = claimed.event();
    Delivery delivery =
        new Delivery(
            origin,
            envelope.eventId(),
            envelope.eventType(),
            envelope,
            envelope.orderingKey(),
            event.attempts(),
            event.createdAt(),
            hold,
            time,
            claimed.contentVersion(),
            claimed.lastError());
    delivery.listeners = ListenerStates.parse(claimed.listeners());
    delivery.leaseExpiries = claimed.leaseExpiries();
    delivery.suspect = claimed.suspect();
    return delivery;
  }

  /** An event that was inserted with its lease, from memory. */
  public static Delivery published(
      Origin origin, EventEnvelope envelope, Hold hold, Instant createdAt, StoreTime time) {
    return fromMemory(origin, envelope, 0, hold, createdAt, time);
  }

  /** An event that an application has queued; counts as created now. */
  public static Delivery queued(Origin origin, EventEnvelope envelope, int attempts, Hold hold) {
    return fromMemory(origin, envelope, attempts, hold, Instant.now(), StoreTime.LOCAL);
  }

  private static Delivery fromMemory(
      Origin origin,
      EventEnvelope envelope,
      int attempts,
      Hold hold,
      Instant createdAt,
      StoreTime time) {
    return new Delivery(
        origin,
        envelope.eventId(),
        envelope.eventType(),
        envelope,
        envelope.orderingKey(),
        attempts,
        createdAt,
        hold,
        time,
        1,
        null);
  }

  /** Stands for a row that no envelope can be made of. */
  public static Delivery undecodable(Origin origin, OutboxEvent event, Hold hold) {
    Delivery delivery =
        unread(
            origin,
            event.eventId(),
            event.orderingKey(),
            event.attempts(),
            event.createdAt(),
            hold);
    delivery.remains = event.withoutPayload();
    return delivery;
  }

  /** Stands for the row of this delivery, whose later lease is to be given back. */
  public Delivery unread() {
    return unread(origin, id, orderingKey, attempts, createdAt, hold());
  }

  /** Has no envelope, which might refuse what the row contains, be it the id. */
  private static Delivery unread(
      Origin origin,
      String id,
      @Nullable String orderingKey,
      int attempts,
      Instant createdAt,
      Hold hold) {
    return new Delivery(
        origin,
        id,
        "unread",
        null,
        orderingKey,
        attempts,
        createdAt,
        hold,
        StoreTime.LOCAL,
        1,
        null);
  }

  public String id() {
    return id;
  }

  /** What its producer knows it by: the idempotency key, or its id if it was given none. */
  String key() {
    return key;
  }

  public String eventType() {
    return eventType;
  }

  /** The key in whose order it is handled; null if in none. */
  public @Nullable String orderingKey() {
    return orderingKey;
  }

  /** Another event of its ordering key waits for its end. */
  public void followed() {
    followed = true;
  }

  /** Whether another event is known to wait for its end, which is stored at once then. */
  public boolean isFollowed() {
    return followed;
  }

  public int attempts() {
    return attempts;
  }

  public Instant createdAt() {
    return createdAt;
  }

  /** Why the delivery before this one failed. */
  public @Nullable String lastError() {
    return lastError;
  }

  /** Where it comes from; in a lane it takes turns with deliveries of other origins. */
  @Override
  public Origin origin() {
    return origin;
  }

  @Override
  public boolean handle() {
    return origin.handle(this);
  }

  /** Whether it is a message of the library's own, which no metric counts. */
  public boolean isInternal() {
    return origin.isInternal(eventType);
  }

  /** What the store's clock shows. */
  public Instant now() {
    return time.now();
  }

  /** The event; only until its outcome stands, so that unstored outcomes hold no payloads. */
  public EventEnvelope envelope() {
    return Objects.requireNonNull(envelope, "the event is handled already");
  }

  public boolean isExpired() {
    Instant expiresAt = envelope().expiresAt();
    return expiresAt != null && !now().isBefore(expiresAt);
  }

  public long bytes() {
    return envelope().payloadSize() + BYTES_BESIDE_PAYLOAD;
  }

  /** What became of its listeners in earlier deliveries. */
  public ListenerStates listeners() {
    return listeners;
  }

  /** Whether an expired lease has left it behind, and its start is not recorded yet. */
  public boolean isSuspect() {
    return suspect;
  }

  public int leaseExpiries() {
    return leaseExpiries;
  }

  /** The store has recorded its start: a lease that expires from now on is counted. */
  public void startRecorded() {
    suspect = false;
  }

  public Hold hold() {
    return Objects.requireNonNull(hold.get());
  }

  public boolean isLeased() {
    return hold().owner() != null;
  }

  /** Compares as nanoTime wants to be compared: by difference. */
  public boolean deadlinePassed(long nowNanos) {
    return nowNanos - hold().deadline() >= 0;
  }

  /**
   * Takes the first lease of an event that came without one.
   *
   * @throws IllegalStateException if it has one
   */
  public void leased(Hold first, ClaimedEvent claimed) {
    if (isLeased()) {
      throw new IllegalStateException("leased already " + this);
    }
    listeners = ListenerStates.parse(claimed.listeners());
    if (claimed.suspect()) {
      leaseExpiries = claimed.leaseExpiries();
      suspect = true;
    }
    hold.set(first);
  }

  /**
   * Continues in place of a freshly claimed copy. One of newer content shows that this one's is no
   * longer there: under the copy's token, its outcome would pass for that of the new content.
   */
  void standInFor(Delivery copy) {
    if (copy.contentVersion > contentVersion) {
      markLost();
    } else if (copy.contentVersion == contentVersion) {
      adopt(copy.hold());
    }
  }

  /** Continues under a token that this process has got since, unless it is the older one. */
  void adopt(Hold other) {
    hold.accumulateAndGet(
        other,
        (mine, theirs) ->
            theirs.owner() != null && theirs.deadline() - mine.deadline() > 0 ? theirs : mine);
  }

  /** Moves the deadline, unless the token has changed since the renewal was sent. */
  public void renewed(String owner, long deadline) {
    hold.updateAndGet(mine -> owner.equals(mine.owner()) ? new Hold(owner, deadline) : mine);
  }

  public Run run() {
    return run;
  }

  /**
   * Whether the next listener gets its turn. An interrupt that does not mean the whole delivery was
   * the business of the listener before it, and is cleared.
   */
  public boolean mayRunNext() {
    boolean unused = Thread.interrupted();
    return !run.isCancelled();
  }

  /** Another worker has the row: this copy must not run, and its outcome no longer counts. */
  public boolean isLost() {
    return run.isCancelled(Reason.LOST);
  }

  /** Cancels the run as well: from now on another worker may do the same. */
  public void markLost() {
    boolean unused = run.cancel(Reason.LOST);
  }

  /** Ran longer than allowed: the lease is no longer renewed. */
  public boolean isOverdue() {
    return run.isCancelled(Reason.OVERDUE);
  }

  /** Cancels the run for the first time; returns false if there is nothing to interrupt. */
  public boolean interruptOverdue() {
    return run.cancel(Reason.OVERDUE);
  }

  public boolean isCutShort() {
    return run.isCancelled(Reason.CLOSING);
  }

  /** Cancels the run because the process ends, which is not the event's fault. */
  public void interruptForClose() {
    boolean unused = run.cancel(Reason.CLOSING);
  }

  /** Its outcome is no longer awaited: its event may be claimed again. */
  public boolean isGivenUp() {
    return isOverdue() || isLost();
  }

  /**
   * Whether the end of the process would change what is counted: one that was given up is counted
   * in any case, and a closed engine knows nothing more of what it gave up.
   */
  public boolean isAtStake() {
    return !isGivenUp() && !origin.isClosing();
  }

  public Stage stage() {
    return stage;
  }

  /** Its listeners are about to run on the calling thread, until {@link Run#end}. */
  public void begin() {
    Stage running = stage.to(Stage.RUNNING);
    run.begin();
    stage = running;
  }

  /** As {@link #begin}, within the run of a batch on the calling thread. */
  public void beginIn(Run batch) {
    Stage running = stage.to(Stage.RUNNING);
    run.beginWithin(batch);
    stage = running;
  }

  /** The transaction of its listeners has changed the row to its outcome. */
  public void outcomeWritten() {
    stage = stage.to(Stage.WRITTEN);
  }

  /** What a transaction has written, if anything, is not there. */
  public void rolledBack() {
    if (stage == Stage.WRITTEN) {
      stage = Stage.RUNNING;
    }
  }

  /** The transaction that has written the outcome has committed. */
  public void committed() {
    stage = stage.to(Stage.COMMITTED);
  }

  /** Its outcome stands and is to be stored. */
  public void handled(Outcome outcome) {
    Stage handled = stage.to(Stage.HANDLED);
    end(outcome);
    stage = handled;
  }

  /** The transaction of its listeners has stored this outcome. */
  public void stored(Outcome outcome) {
    Stage settled = stage.to(Stage.SETTLED);
    end(outcome);
    stage = settled;
  }

  private void end(Outcome outcome) {
    this.outcome = outcome;
    EventEnvelope event = envelope;
    if (outcome instanceof Outcome.Dead && event != null) {
      this.remains = event.toEvent(createdAt).attempts(attempts + 1).build().withoutPayload();
    }
    this.envelope = null;
  }

  /** A flush of the outcome failed half-way: the database may or may not have it. */
  public void flushFailed() {
    stage = stage.to(Stage.IN_DOUBT);
  }

  /** A flush has stored the outcome. */
  public void settled() {
    stage = stage.to(Stage.SETTLED);
  }

  public @Nullable Outcome outcome() {
    return outcome;
  }

  /** What is told of it once it is dead. */
  public DeadLetter letter(Outcome.Dead dead) {
    OutboxEvent event = Objects.requireNonNull(remains, "it did not die");
    ListenerStates ended =
        dead.listeners() == null ? listeners : ListenerStates.parse(dead.listeners());
    return new DeadLetter(event, now(), dead.error(), ended, 0, null, null);
  }

  /** What its handler calls it, for the log lines that follow. */
  public void failedAs(String name) {
    this.name = name;
  }

  @Override
  public String toString() {
    return text(name == null ? "id=" + LogText.of(id) : name, eventType, attempts, origin.label());
  }

  /**
   * What the log calls a delivery. Counts the deliveries including this one, as the row will once
   * this one has failed.
   */
  public static String text(String name, String eventType, int attempts, String where) {
    return name + " type=" + LogText.of(eventType) + " attempts=" + (attempts + 1) + where;
  }
}
