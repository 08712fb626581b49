package outbox.admin.data;

import java.util.Optional;
import outbox.model.Join;
import outbox.model.JoinIdentifier;

/** The joins of one outbox, to look at and to cancel. Thread-safe. */
public interface OperatedJoins {

  /**
   * A page of joins, started last first.
   *
   * @throws InvalidQueryException if the cursor is none of this list's
   */
  Page<Join> list(JoinQuery query);

  /** One join with its steps and those who wait for it; empty if there is none of this id. */
  Optional<JoinDetail> find(JoinIdentifier id);

  /**
   * Cancels a pending join and wakes the messages that wait for it.
   *
   * @return whether it was pending
   * @throws IllegalStateException if it does not exist
   */
  boolean cancel(JoinIdentifier id);
}
