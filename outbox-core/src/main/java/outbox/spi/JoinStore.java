package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.StepStatus;

/**
 * Keeps joins, their steps and the messages that wait for them, beside the events of one {@link
 * LeasedEventStore} and in the same database.
 *
 * <p><b>Locks</b> are taken in one order everywhere: messages by id, steps, joins by id, waiting
 * messages. A caller that changes a step holds the lock of its message; one that changes a join
 * holds the join's, so counters are exact and no two operations wait for each other.
 *
 * <p><b>Transactions.</b> On a connection in auto-commit mode each method is atomic by itself and
 * tried again after a deadlock; otherwise it joins the caller's transaction. No method closes the
 * connection. Database errors come as {@link StoreException}.
 */
public interface JoinStore {

  /**
   * Refuses a database without the tables of the joins.
   *
   * @throws IllegalStateException with what is wrong and how to fix it
   */
  void check(Connection conn);

  /** Stores a new join, pending and with its counters at zero. */
  void insert(Connection conn, NewJoin join);

  /**
   * Makes messages steps of a join, those that are not yet. Takes their locks first, so that a step
   * whose message has ended already is counted here and now, and one that ends later by its own
   * transition.
   *
   * @throws IllegalStateException if the join or a message does not exist
   */
  Settlement attach(Connection conn, JoinIdentifier join, Collection<String> messageIds);

  /**
   * Ends one step by hand.
   *
   * @throws IllegalStateException if the join does not exist or the message is no step of it
   */
  Settlement report(Connection conn, JoinIdentifier join, String messageId, StepStatus end);

  /** Ends the pending steps of these messages in all their joins; their rows are locked already. */
  Settlement settle(Connection conn, Collection<String> messageIds, StepStatus end);

  /**
   * Ends a pending join; one that is final stays as it is.
   *
   * @throws IllegalStateException if the join does not exist
   */
  Settlement end(Connection conn, JoinIdentifier join, JoinStatus end);

  /** Lets the message be woken when the join ends. */
  void addWait(Connection conn, JoinIdentifier join, String messageId);

  /** Finds a join by its id. */
  Optional<Join> find(Connection conn, JoinIdentifier join);

  /**
   * Locks the join until the transaction ends, so that it cannot end unnoticed meanwhile; one whose
   * deadline has passed fails by this.
   *
   * @param conn in a transaction
   */
  Optional<Locked> lock(Connection conn, JoinIdentifier join);

  /** The joins of a grouping key, newest first. */
  List<Join> findByGroupingKey(Connection conn, String groupingKey, int limit);

  /** The steps of a join by message id; all of them if no status is given. */
  List<JoinStep> steps(Connection conn, JoinIdentifier join, @Nullable StepStatus status);

  /** Fails up to {@code limit} pending joins whose deadline has passed. */
  Settlement failOverdue(Connection conn, int limit);

  /**
   * Deletes up to {@code limit} joins, with their steps, that have been final for longer than the
   * retention and that no live message waits for. Fewer if they have many steps.
   *
   * @return how many; 0 if there are no more
   */
  int purge(Connection conn, Duration retention, int limit);

  /**
   * What to store.
   *
   * @param deadline from the moment of the statement; null for none
   */
  record NewJoin(
      JoinIdentifier id,
      @Nullable String groupingKey,
      int expectedSteps,
      @Nullable String metadata,
      @Nullable Duration deadline) {}

  /**
   * A locked join.
   *
   * @param untilDeadline how long it may stay pending, by the database's clock; null for ever
   * @param settlement what its deadline brought about
   */
  record Locked(Join join, @Nullable Duration untilDeadline, Settlement settlement) {}

  /**
   * What a change came to.
   *
   * @param ended joins that it ended
   * @param excess steps that ended without being counted, because their join expected no more
   */
  record Settlement(List<Join> ended, List<Excess> excess) {
    public static final Settlement NOTHING = new Settlement(List.of(), List.of());

    /** What both came to. */
    public Settlement and(Settlement other) {
      return new Settlement(
          Stream.concat(ended.stream(), other.ended.stream()).toList(),
          Stream.concat(excess.stream(), other.excess.stream()).toList());
    }
  }

  /** How many steps of a pending or just ended join were one too many. */
  record Excess(Join join, int steps) {}
}
