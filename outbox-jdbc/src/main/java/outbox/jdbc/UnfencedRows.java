package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/** The rows of one table as a store without leases sees them: marked by id, whoever holds them. */
final class UnfencedRows {
  private final Statements sql;
  private final StoreOptions options;

  UnfencedRows(Statements sql, StoreOptions options) {
    this.sql = sql;
    this.options = options;
  }

  Set<String> done(Connection conn, String eventId) {
    Parameters parameters = sql.parameters().text("id", eventId);
    boolean deleted =
        options.deleteWhenDone() && sql.update(conn, "mark_done_delete", parameters) > 0;
    return ifAny(eventId, deleted ? 1 : sql.update(conn, "mark_done", parameters));
  }

  int retry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    Parameters parameters =
        sql.parameters()
            .text("id", eventId)
            .instant("next_at", requireNonNull(nextAt, "nextAt"))
            .text("error", options.fit(error));
    return sql.update(conn, "mark_retry", parameters);
  }

  Set<String> dead(Connection conn, String eventId, @Nullable String error) {
    Parameters parameters = sql.parameters().text("id", eventId).text("error", options.fit(error));
    return ifAny(eventId, sql.update(conn, "mark_dead", parameters));
  }

  private static Set<String> ifAny(String eventId, int changed) {
    return changed == 0 ? Set.of() : Set.of(eventId);
  }

  List<OutboxEvent> pending(Connection conn, Instant now, Duration skipRecent, int limit) {
    EventRows rows = new EventRows(sql);
    Parameters parameters =
        sql.parameters()
            .instant("at", now)
            .instant("created_before", now.minus(skipRecent))
            .number("limit", limit);
    return rows.finishedEvents(conn, sql.query(conn, "poll_pending", parameters, rows::event));
  }
}
