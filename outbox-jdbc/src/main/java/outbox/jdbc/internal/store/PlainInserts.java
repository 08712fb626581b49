package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.sql.Statements;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/** Inserts events without a key of their producer: an id that is there already is an error. */
public final class PlainInserts {
  private final Statements statements;

  public PlainInserts(Statements statements) {
    this.statements = statements;
  }

  public int insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    try {
      return statements.update(conn, "insert", EventRows.parameters(statements, event, lease));
    } catch (StoreException e) {
      throw explained(e, "event " + event.eventId() + " exists already in " + statements.table());
    }
  }

  public int insertAll(Connection conn, List<EventEnvelope> events, @Nullable Lease lease) {
    try {
      return statements.update(conn, "insert_all", EventRows.parameters(statements, events, lease));
    } catch (StoreException e) {
      String one = "one of " + events.size() + " events exists already in ";
      throw explained(e, one + statements.table() + " or here");
    }
  }

  private StoreException explained(StoreException e, String duplicate) {
    return e.getCause() instanceof SQLException cause && statements.dialect().isDuplicate(cause)
        ? new StoreException(
            duplicate
                + "; leave out eventId, and an event gets an id of its own; give an idempotencyKey to"
                + " what is to be sent only once",
            cause)
        : e;
  }
}
