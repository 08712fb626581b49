package outbox.jdbc;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.model.StepStatus;

/** Ends the pending steps of messages, whose rows are locked, after locking their joins by id. */
interface StepFlip {

  /** The statements that it needs of the database's file. */
  Set<String> statementNames();

  /** Returns the joins as they were, each with the number of its steps that ended by this. */
  List<Flipped> flip(Connection conn, Collection<String> messageIds, StepStatus end);

  /** A locked join, and how many of its steps have just ended. */
  record Flipped(JoinRows.Read read, int steps) {}
}
