package outbox.dispatch;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.text.LogText;
import outbox.model.DeadLetter;
import outbox.model.ListenerStates;
import outbox.model.OutboxEvent;

/**
 * One event in the hands of this process, from its admission until its outcome is stored. It owns
 * the lease: when the process claims its own expired row again, the delivery takes over the new
 * token.
 */
final class Delivery {
  static final long BYTES_BESIDE_PAYLOAD = 512;

  private final String id;
  private final String eventType;
  private final Source source;
  private final int attempts;
  private final Instant createdAt;
  private final String key;

  private int contentVersion = 1;
  private final Run run = new Run(this);
  private @Nullable StoreRuntime runtime;
  private @Nullable String lastError;
  private ListenerStates listeners = ListenerStates.NONE;
  private volatile @Nullable String name;
  private StoreTime time = StoreTime.LOCAL;
  private final AtomicReference<Hold> hold;
  private volatile @Nullable EventEnvelope envelope;
  private volatile boolean suspect;
  private volatile int leaseExpiries;
  private volatile boolean lost;
  private volatile boolean overdue;
  private volatile @Nullable Outcome outcome;
  private volatile @Nullable OutboxEvent remains;
  private volatile boolean flushInDoubt;
  private volatile boolean settled;
  private volatile boolean outcomeWritten;
  private volatile boolean cutShort;

  /**
   * Token and local deadline change together. A null owner means that the row is not leased yet.
   */
  record Hold(@Nullable String owner, long deadline) {}

  Delivery(
      EventEnvelope envelope,
      Source source,
      int attempts,
      Instant createdAt,
      Hold hold,
      boolean suspect,
      int leaseExpiries) {
    this(
        envelope.eventId(),
        envelope.eventType(),
        envelope,
        source,
        attempts,
        createdAt,
        hold,
        suspect,
        leaseExpiries);
  }

  private Delivery(
      String id,
      String eventType,
      @Nullable EventEnvelope envelope,
      Source source,
      int attempts,
      Instant createdAt,
      Hold hold,
      boolean suspect,
      int leaseExpiries) {
    this.id = id;
    this.eventType = eventType;
    this.envelope = envelope;
    this.key = envelope == null ? id : envelope.idempotencyKey();
    this.source = source;
    this.attempts = attempts;
    this.createdAt = createdAt;
    this.hold = new AtomicReference<>(hold);
    this.suspect = suspect;
    this.leaseExpiries = leaseExpiries;
  }

  /**
   * Stands for a row whose lease is to be given back or that is to end, without having run. It has
   * no envelope, which might refuse what the row contains, be it the id.
   */
  static Delivery unread(
      String eventId, Source source, int attempts, Instant createdAt, Hold hold) {
    return new Delivery(eventId, "unread", null, source, attempts, createdAt, hold, false, 0);
  }

  /** Stands for a row that no envelope can be made of. */
  static Delivery undecodable(OutboxEvent event, Hold hold) {
    Delivery delivery =
        unread(event.eventId(), Source.COLD, event.attempts(), event.createdAt(), hold);
    delivery.remains = event.withoutPayload();
    return delivery;
  }

  /** Counts as created now: it comes from memory, right after its commit. */
  static Delivery of(QueuedEvent event, Hold hold) {
    return of(event, hold, Instant.now());
  }

  static Delivery of(QueuedEvent event, Hold hold, Instant createdAt) {
    return new Delivery(
        event.envelope(), event.source(), event.attempts(), createdAt, hold, false, 0);
  }

  /** Why the delivery before this one failed; said before anybody else sees it. */
  Delivery after(@Nullable String lastError) {
    this.lastError = lastError;
    return this;
  }

  @Nullable String lastError() {
    return lastError;
  }

  /** What became of its listeners in earlier deliveries; said before any of them runs. */
  Delivery knowing(ListenerStates listeners) {
    this.listeners = listeners;
    return this;
  }

  ListenerStates listeners() {
    return listeners;
  }

  /** Which of the contents that its event has had it is of; said before anybody else sees it. */
  Delivery ofContent(int contentVersion) {
    this.contentVersion = contentVersion;
    return this;
  }

  /** What its handler calls it, for the log lines that follow. */
  void failedAs(String name) {
    this.name = name;
  }

  /** By which its age and its expiry are judged; said before anybody else sees it. */
  Delivery by(StoreTime time) {
    this.time = time;
    return this;
  }

  Instant now() {
    return time.now();
  }

  /** Where it belongs; said before anybody else sees it. */
  Delivery at(StoreRuntime runtime) {
    this.runtime = runtime;
    return this;
  }

  /** Whether it is a message of the library's own, which no metric counts. */
  boolean isInternal() {
    return runtime().isInternal(eventType());
  }

  StoreRuntime runtime() {
    return Objects.requireNonNull(runtime, "it is of no store yet");
  }

  /** With whom it takes turns in a lane: one event of each store, then the next of each. */
  Object party() {
    return runtime == null ? StoreRuntime.class : runtime;
  }

  /** The event; only until its outcome stands, so that unstored outcomes hold no payloads. */
  EventEnvelope envelope() {
    return Objects.requireNonNull(envelope, "the event is handled already");
  }

  String id() {
    return id;
  }

  /** What its producer knows it by: the idempotency key, or its id if it was given none. */
  String key() {
    return key;
  }

  String eventType() {
    return eventType;
  }

  Source source() {
    return source;
  }

  int attempts() {
    return attempts;
  }

  Instant createdAt() {
    return createdAt;
  }

  int leaseExpiries() {
    return leaseExpiries;
  }

  long bytes() {
    return envelope().payloadSize() + BYTES_BESIDE_PAYLOAD;
  }

  Hold hold() {
    return Objects.requireNonNull(hold.get());
  }

  /** The first lease of an event that came without one. */
  void leased(Hold first) {
    hold.set(first);
  }

  /**
   * Goes on in place of a freshly claimed copy. One of newer content shows that this one's is no
   * longer there: under the copy's token, its outcome would pass for that of the new content.
   */
  void standInFor(Delivery copy) {
    if (copy.contentVersion > contentVersion) {
      markLost();
    } else if (copy.contentVersion == contentVersion) {
      adopt(copy.hold());
    }
  }

  /** Goes on under a token that this process has got since, unless it is the older one. */
  void adopt(Hold other) {
    hold.accumulateAndGet(
        other,
        (mine, theirs) ->
            theirs.owner() != null && theirs.deadline() - mine.deadline() > 0 ? theirs : mine);
  }

  /** Moves the deadline, unless the token has changed since the renewal was sent. */
  void renewed(String owner, long deadline) {
    hold.updateAndGet(mine -> owner.equals(mine.owner()) ? new Hold(owner, deadline) : mine);
  }

  boolean isLeased() {
    return hold().owner() != null;
  }

  /** Compares as nanoTime wants to be compared: by difference. */
  boolean deadlinePassed(long nowNanos) {
    return nowNanos - hold().deadline() >= 0;
  }

  boolean isSuspect() {
    return suspect;
  }

  /** The claim of an event that came without a lease has found it left behind by an expired one. */
  void suspect(int leaseExpiries) {
    this.leaseExpiries = leaseExpiries;
    this.suspect = true;
  }

  void clearSuspicion() {
    suspect = false;
  }

  /** Another worker has the row: this copy must not run, and its outcome no longer counts. */
  boolean isLost() {
    return lost;
  }

  /** Cancels the run as well: from now on another worker may do the same. */
  void markLost() {
    lost = true;
    boolean unused = run.cancel();
  }

  /** Its outcome is no longer awaited: its event may be claimed again. */
  boolean isGivenUp() {
    return overdue || lost;
  }

  /**
   * Whether the end of the process would change what is counted: one that was given up is counted
   * in any case, and a closed engine knows nothing more of what it gave up.
   */
  boolean isAtStake() {
    return !isGivenUp() && (runtime == null || !runtime.isClosing());
  }

  /** Ran longer than allowed: the lease is no longer renewed. */
  boolean isOverdue() {
    return overdue;
  }

  Run run() {
    return run;
  }

  /**
   * Whether the next listener gets its turn. An interrupt that does not mean the whole delivery was
   * the business of the listener before it, and is cleared.
   */
  boolean mayRunNext() {
    boolean unused = Thread.interrupted();
    return !run.isCancelled();
  }

  boolean isRunning() {
    return run.isStarted() && outcome == null;
  }

  long runningNanos(long nowNanos) {
    return run.nanos(nowNanos);
  }

  void begin() {
    run.begin();
  }

  /** Returns whether the thread was replaced meanwhile and must end. */
  boolean end() {
    return run.end();
  }

  /** Cancels the run for the first time; returns false if there is nothing to interrupt. */
  boolean interruptOverdue() {
    overdue = true;
    return run.cancel();
  }

  /** Cancels the run because the process ends, which is not the event's fault. */
  void interruptForClose() {
    cutShort = true;
    boolean unused = run.cancel();
  }

  boolean isCutShort() {
    return cutShort;
  }

  /** Gives up on the thread; returns true once, and only while it still runs. */
  boolean replaceRunner() {
    return run.replaceThread();
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  void outcome(Outcome outcome) {
    this.outcome = outcome;
    EventEnvelope event = envelope;
    if (outcome instanceof Outcome.Dead && event != null) {
      this.remains = event.toEvent(createdAt).attempts(attempts + 1).build().withoutPayload();
    }
    this.envelope = null;
  }

  /** What is told of it once it is dead. */
  DeadLetter letter(Outcome.Dead dead) {
    OutboxEvent event = Objects.requireNonNull(remains, "it did not die");
    ListenerStates ended =
        dead.listeners() == null ? listeners : ListenerStates.parse(dead.listeners());
    return new DeadLetter(event, now(), dead.error(), ended, 0, null, null);
  }

  /** A flush of the outcome failed half-way: the database may or may not have it. */
  boolean isFlushInDoubt() {
    return flushInDoubt;
  }

  void flushInDoubt() {
    flushInDoubt = true;
  }

  /** Whether a transaction that may still be rolled back has changed the row to its outcome. */
  boolean isOutcomeWritten() {
    return outcomeWritten;
  }

  void outcomeWritten(boolean written) {
    outcomeWritten = written;
  }

  /** The database has the outcome. */
  boolean isSettled() {
    return settled;
  }

  void markSettled() {
    settled = true;
  }

  @Override
  public String toString() {
    return text(
        name == null ? "id=" + LogText.of(id) : name,
        eventType,
        attempts,
        runtime == null ? "" : runtime.label());
  }

  /**
   * What the log calls a delivery. Counts the deliveries including this one, as the row will once
   * this one has failed.
   */
  static String text(String name, String eventType, int attempts, String where) {
    return name + " type=" + LogText.of(eventType) + " attempts=" + (attempts + 1) + where;
  }
}
