package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;

/**
 * A store that many nodes share: every event that is being worked on is leased to an owner token
 * until an instant of the database's clock.
 *
 * <p><b>Fence.</b> Every transition changes exactly the rows that are live (NEW or RETRY) and carry
 * the given owner token, and returns their ids. A lease that has expired is still good for a
 * transition as long as no other owner has taken or reaped the row since. Rows locked by another
 * transaction are skipped, never waited for.
 *
 * <p><b>Transactions.</b> On a connection in auto-commit mode each method is atomic by itself;
 * otherwise it joins the caller's transaction. No method closes the connection. Database errors
 * come as {@link StoreException}.
 */
public interface LeasedEventStore extends EventStore, EndedEventStore {

  /** The error of an event that was not handled before its expiry: {@value}. */
  String EXPIRED = "expired";

  /**
   * Refuses, before anything runs, a database that this store cannot work with.
   *
   * @throws IllegalStateException with what is wrong and how to fix it
   */
  void check(Connection conn);

  /**
   * Inserts a NEW event, leased to {@code lease.owner()} if a lease is given, else free to be
   * claimed. An event that brings a key of its producer is not inserted if its tenant has an event
   * of that key: that is a success, and leaves the transaction unharmed. A transaction that has
   * inserted the key and not ended yet is waited for.
   *
   * @return empty if it was inserted, else the id of the event that has its key
   * @throws StoreException if there is an event with its id, but without its key
   */
  Optional<String> insert(Connection conn, EventEnvelope event, @Nullable Lease lease);

  /**
   * As {@link #insert} for many, all or none, by as few statements as can be, those with keys in
   * the order given. Pass events sorted by tenant and key: concurrent inserts then take locks in
   * the same order and cannot deadlock. Of those with the same key of the same tenant the first is
   * inserted.
   *
   * @return for those that were not inserted, by their ids, the ids of the events that have their
   *     keys
   */
  Map<String, String> insertAll(
      Connection conn, Collection<EventEnvelope> events, @Nullable Lease lease);

  /**
   * What keeps events with an ordering key in order; null if this store cannot. {@link #insert} and
   * {@link #insertAll} give such events their places, too, but do not say which of them wait.
   */
  default @Nullable OrderedEvents ordered() {
    return null;
  }

  /** The id of the tenant's event with this key, or with this id and no key of its producer. */
  Optional<String> findByKey(Connection conn, @Nullable String tenantId, String key);

  /**
   * Leases due events, those available longest first. An event past its expiry is not handed out:
   * it is ended by {@link #fail} with the error {@link #EXPIRED}, under the lease just taken.
   */
  Claimed claim(Connection conn, ClaimRequest request);

  /**
   * Whether a claim might get something, for a look into a database that is idle most of the time:
   * cheaper than a claim, and nothing is changed. May be wrong only where it says yes.
   */
  default boolean mayHaveDue(Connection conn) {
    return true;
  }

  /**
   * Leases the given live events that are not leased; returns those it got. Expired ones end as in
   * {@link #claim}.
   */
  List<ClaimedEvent> claimById(
      Connection conn, String owner, Duration lease, Collection<String> eventIds);

  /**
   * DONE, or deleted, by the store's configuration. An event with a key of its producer is never
   * deleted here: it still turns duplicates away.
   */
  Set<String> ack(Connection conn, String owner, Collection<String> eventIds);

  /**
   * RETRY after each failure's delay, but not before the due time; counts an attempt. A failure
   * without an error, or without listeners, leaves what the row has.
   */
  Set<String> abandon(Connection conn, String owner, Collection<Failure> failures);

  /**
   * Gives the lease back until the delay has passed, but not before the due time; counts nothing. A
   * suspect event whose start was not recorded stays suspect.
   */
  default Set<String> defer(
      Connection conn, String owner, Collection<String> eventIds, Duration delay) {
    return defer(conn, owner, eventIds, delay, null);
  }

  /**
   * As {@link #defer(Connection, String, Collection, Duration)}, recording what became of the
   * listeners.
   *
   * @param listeners as {@link outbox.model.ListenerStates#text} writes it; null leaves what the
   *     rows have
   */
  Set<String> defer(
      Connection conn,
      String owner,
      Collection<String> eventIds,
      Duration delay,
      @Nullable String listeners);

  /**
   * DEAD; counts an attempt. The delay of a failure is ignored; one without listeners leaves what
   * the row has.
   */
  Set<String> fail(Connection conn, String owner, Collection<Failure> failures);

  /** Lets the lease run for {@code lease} from now on. */
  Set<String> renew(Connection conn, String owner, Collection<String> eventIds, Duration lease);

  /**
   * Records that the handlers of these suspect events are about to run, so that a lease which
   * expires after this counts against the event, and renews the lease.
   */
  Set<String> markStarted(
      Connection conn, String owner, Collection<String> eventIds, Duration lease);

  /**
   * The present state of the given events; those that no longer exist are absent. In a caller's
   * transaction too, whatever its snapshot shows, but for those that another transaction has
   * locked.
   */
  Map<String, RowState> inspect(Connection conn, Collection<String> eventIds);

  /**
   * Housekeeping: takes the owner off up to {@code limit} events whose lease expired more than
   * {@code grace} ago, and counts the expiry of started ones. Claims do not depend on it.
   *
   * @param window how many of the due events, those available longest, are looked at: expired
   *     leases behind a longer backlog are left for later. {@link Integer#MAX_VALUE} for all
   * @return how many leases were cleared
   */
  int reapExpired(Connection conn, Duration grace, int limit, int window);

  /**
   * Runs several calls of this store as one READ COMMITTED transaction if the connection is in
   * auto-commit mode, and again, a few times at the most, after a deadlock or a serialization
   * failure. On any other connection the work joins the caller's transaction and runs once.
   */
  <T> T inTransaction(Connection conn, Supplier<T> work);

  /** Whose lease, and how long it runs from the moment of the statement. */
  record Lease(String owner, Duration duration) {}

  /**
   * What to claim.
   *
   * @param owner the token that the rows will carry
   * @param lease how long from the moment of the statement
   * @param limit at most this many
   * @param maxBytes stop after the row with which the payloads reach this; the first row always
   *     fits
   * @param after keyset hint: pass over rows available at or before it; null, or an instant past
   *     the database's now, for a complete scan
   * @param skipRecent leaves alone younger rows that a node of schema version 1 wrote, which have
   *     no {@code occurred_at}; no other row is held back by it
   */
  record ClaimRequest(
      String owner,
      Duration lease,
      int limit,
      long maxBytes,
      @Nullable Instant after,
      Duration skipRecent) {}

  /**
   * What a claim got.
   *
   * @param watermark the {@code available_at} that the last of them had: the next claim's hint;
   *     null when empty
   * @param ended those that were due but past their expiry, and so have ended
   */
  record Claimed(List<ClaimedEvent> events, @Nullable Instant watermark, List<OutboxEvent> ended) {
    /** No event was due. */
    public static final Claimed NOTHING = new Claimed(List.of(), null, List.of());

    /** How many were due but past their expiry. */
    public int expired() {
      return ended.size();
    }
  }

  /**
   * One claimed event.
   *
   * @param suspect it was left behind by a lease that expired, so its start must be recorded first
   * @param leaseExpiries how often a lease expired after its handler had started
   * @param lastError why the last delivery failed; null if none has
   * @param listeners what became of its listeners in earlier deliveries; null if nothing is known
   * @param leasedUntil the end of the lease by the store's clock; null if the store has no leases
   * @param contentVersion counts the contents that it has had; 1 where content is never replaced
   */
  record ClaimedEvent(
      OutboxEvent event,
      boolean suspect,
      int leaseExpiries,
      @Nullable String lastError,
      @Nullable String listeners,
      @Nullable Instant leasedUntil,
      int contentVersion) {}

  /**
   * What went wrong with an event.
   *
   * @param delay until it may be tried again
   * @param error why, for an operator to read; null if unknown
   * @param listeners what became of its listeners, as {@link outbox.model.ListenerStates#text}
   *     writes it; null if nothing is known
   */
  record Failure(
      String eventId, Duration delay, @Nullable String error, @Nullable String listeners) {

    /** A failure of which no listener is known. */
    public Failure(String eventId, Duration delay, @Nullable String error) {
      this(eventId, delay, error, null);
    }
  }

  /**
   * Where an event stands.
   *
   * @param owner who holds it, null if it is not leased
   * @param processedBy the owner that completed it, null before
   * @param attempts failed deliveries so far
   */
  record RowState(
      EventStatus status, @Nullable String owner, @Nullable String processedBy, int attempts) {}
}
