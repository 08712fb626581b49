package outbox.cli;

import java.util.List;
import outbox.admin.data.EventRow;
import outbox.admin.data.InboxRow;
import outbox.model.EventStatus;
import outbox.inbox.InboxStatus;

/** Lists of messages for people. */
final class MessageTable {
  private static final int NAME = 10;
  private static final int ERROR = 16;

  private MessageTable() {}

  static Table ofEvents(List<EventRow> rows) {
    Table table =
        new Table()
            .column("ID")
            .flexible("TOPIC", NAME)
            .column("STATUS")
            .number("TRIES")
            .column("STORED")
            .optional("TENANT", NAME)
            .optional("ERROR", ERROR);
    rows.forEach(
        row ->
            table.row(
                Shown.line(row.id()),
                Shown.line(row.topic()),
                status(row),
                Shown.number(row.attempts()),
                Shown.time(row.createdAt()),
                Shown.line(row.tenant()),
                Shown.line(row.errorSnippet())));
    return table;
  }

  static Table ofInbox(List<InboxRow> rows) {
    Table table =
        new Table()
            .column("MESSAGE")
            .flexible("SOURCE", NAME)
            .column("STATUS")
            .number("TRIES")
            .column("FIRST SEEN")
            .optional("TOPIC", NAME)
            .optional("ERROR", ERROR);
    rows.forEach(
        row ->
            table.row(
                Shown.line(row.key().messageId()),
                Shown.line(row.key().source()),
                status(row),
                Shown.number(row.attempts()),
                Shown.time(row.firstSeenAt()),
                Shown.line(row.topic()),
                Shown.line(row.errorSnippet())));
    return table;
  }

  static Table.Cell status(EventRow row) {
    Ink ink =
        row.status() == EventStatus.DEAD
            ? Ink.BAD
            : row.status() == EventStatus.RETRY ? Ink.WARNING : Ink.PLAIN;
    return new Table.Cell(row.leased() ? "LEASED" : row.status().name(), ink);
  }

  static Table.Cell status(InboxRow row) {
    return new Table.Cell(
        row.leased() ? "LEASED" : row.status().name(),
        row.status() == InboxStatus.DEAD ? Ink.BAD : Ink.PLAIN);
  }
}
