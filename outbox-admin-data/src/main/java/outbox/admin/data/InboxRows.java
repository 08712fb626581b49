package outbox.admin.data;

import java.sql.SQLException;
import java.time.Instant;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.jdbc.internal.query.Row;
import outbox.model.ListenerStates;

/** Reads messages of an inbox. */
final class InboxRows {
  /** The columns that a table of an inbox has and one of events has not. */
  static final String OWN_COLUMNS = "message_id, content_version, seen_again_at";

  /** Known without content, and processed by its sender's side. */
  static final int SEEN = 4;

  static final int PROCESSED_BY_CALLER = 5;

  private InboxRows() {}

  static InboxRow read(Row row) throws SQLException {
    return new InboxRow(
        row.required("event_id"),
        new InboxKey(row.required("tenant"), row.required("message_id")),
        status(row.integer("status")),
        row.text("topic"),
        row.integer("leased") == 1,
        row.text("owner_token"),
        row.integer("attempts"),
        row.integer("content_version"),
        row.requiredInstant("stored_at"),
        lastSeen(row),
        row.requiredInstant("available_at"),
        row.instant("due_at"),
        row.instant("done_at"),
        row.text("error_snippet"),
        ListenerStates.parse(row.text("listeners")),
        row.integer("replays"));
  }

  static Instant lastSeen(Row row) throws SQLException {
    return InboxMessage.lastSeen(row.requiredInstant("stored_at"), row.instant("seen_again_at"));
  }

  private static InboxStatus status(int code) {
    return switch (code) {
      case 1 -> InboxStatus.DONE;
      case 3 -> InboxStatus.DEAD;
      case SEEN -> InboxStatus.SEEN;
      default -> InboxStatus.PROCESSING;
    };
  }
}
