package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.OutboxEvent;

/** The rows of one table as a store without leases sees them: marked by id, leased or not. */
public final class UnfencedRows {
  private final Statements sql;

  public UnfencedRows(Statements sql) {
    this.sql = sql;
  }

  /**
   * Ends an event as DONE.
   *
   * @param delete whether it goes then, unless it has a key of its producer
   */
  public Set<String> done(Connection conn, String eventId, boolean delete) {
    Parameters parameters = sql.parameters().text("id", eventId);
    boolean deleted = delete && sql.update(conn, "mark_done_delete", parameters) > 0;
    return ifAny(eventId, deleted ? 1 : sql.update(conn, "mark_done", parameters));
  }

  public int retry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    Parameters parameters =
        sql.parameters()
            .text("id", eventId)
            .instant("next_at", requireNonNull(nextAt, "nextAt"))
            .text("error", error);
    return sql.update(conn, "mark_retry", parameters);
  }

  public Set<String> dead(Connection conn, String eventId, @Nullable String error) {
    Parameters parameters = sql.parameters().text("id", eventId).text("error", error);
    return ifAny(eventId, sql.update(conn, "mark_dead", parameters));
  }

  private static Set<String> ifAny(String eventId, int changed) {
    return changed == 0 ? Set.of() : Set.of(eventId);
  }

  public List<OutboxEvent> pending(Connection conn, Instant now, Duration skipRecent, int limit) {
    EventRows rows = new EventRows(sql);
    Parameters parameters =
        sql.parameters()
            .instant("at", now)
            .instant("created_before", now.minus(skipRecent))
            .number("limit", limit);
    return rows.finishedEvents(conn, sql.query(conn, "poll_pending", parameters, rows::event));
  }
}
