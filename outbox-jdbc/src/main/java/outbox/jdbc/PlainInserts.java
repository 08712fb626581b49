package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/** Inserts events without a key of their producer: an id that is there already is an error. */
final class PlainInserts {
  private final Statements statements;

  PlainInserts(Statements statements) {
    this.statements = statements;
  }

  int insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    String what = "event " + event.eventId() + " exists already in " + statements.table();
    return run(conn, "insert", what, EventRows.parameters(statements, event, lease));
  }

  int insertAll(Connection conn, List<EventEnvelope> events) {
    String what =
        "one of " + events.size() + " events exists already in " + statements.table() + " or here";
    return run(conn, "insert_all", what, EventRows.parameters(statements, events));
  }

  private int run(Connection conn, String statement, String what, Parameters parameters) {
    try {
      return statements.update(conn, statement, parameters);
    } catch (StoreException e) {
      if (e.getCause() instanceof SQLException cause && statements.dialect().isDuplicate(cause)) {
        throw new StoreException(
            what
                + "; leave out eventId, and an event gets an id of its own; give an idempotencyKey to"
                + " what is to be sent only once",
            cause);
      }
      throw e;
    }
  }
}
