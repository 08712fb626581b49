package outbox.jdbc.internal.join;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import outbox.model.StepStatus;

/**
 * How a database ends the pending steps of messages, whose rows are locked, and locks their joins
 * by id, how it wakes who waits for the joins, and how it deletes old ones without getting in the
 * way.
 */
public interface StepFlip {

  /** Returns the joins as they were, each with the number of its steps that ended by this. */
  List<Flipped> flip(Connection conn, Collection<String> messageIds, StepStatus end);

  /** Whether {@link #flip} has stored what the joins come to as well. */
  boolean counts();

  /**
   * Makes the waiting messages of ended joins due. The holder of such a message reads the join
   * under the join's lock, and so after this call. This is a separate statement: only a new
   * snapshot sees messages that parked while this transaction waited for the lock.
   */
  void wake(Connection conn, List<String> joinIds);

  /** Deletes joins that are locked, with their steps and waits; returns how many. */
  int delete(Connection conn, List<String> joinIds);

  /** A locked join, and how many of its steps have just ended. */
  record Flipped(JoinRows.Read read, int steps) {}
}
