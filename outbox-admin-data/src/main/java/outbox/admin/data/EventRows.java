package outbox.admin.data;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.query.Row;
import outbox.model.EventStatus;
import outbox.model.ListenerStates;

/** Reads events. */
final class EventRows {
  /** The columns that a table of events has and one of an inbox has not. */
  static final String OWN_COLUMNS =
      "aggregate_type, aggregate_id, correlation_id, idempotency_key, occurred_at, expires_at";

  private EventRows() {}

  static EventRow read(Row row) throws SQLException {
    return new EventRow(
        row.required("event_id"),
        row.required("topic"),
        row.text("tenant"),
        row.text("aggregate_type"),
        row.text("aggregate_id"),
        row.text("correlation_id"),
        EventStatus.ofCode(row.integer("status")),
        row.integer("leased") == 1,
        row.text("owner_token"),
        row.integer("attempts"),
        row.requiredInstant("stored_at"),
        row.requiredInstant("available_at"),
        row.instant("due_at"),
        row.instant("done_at"),
        row.text("error_snippet"),
        ListenerStates.parse(row.text("listeners")),
        row.text("idempotency_key"),
        row.integer("replays"));
  }

  /** The event of an outer join. */
  static @Nullable EventRow readIfThere(Row row) throws SQLException {
    return row.text("event_id") == null ? null : read(row);
  }
}
