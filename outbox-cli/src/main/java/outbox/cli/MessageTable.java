package outbox.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventRow;
import outbox.admin.data.InboxRow;
import outbox.inbox.InboxStatus;
import outbox.model.EventStatus;

/** Lists of messages for people; brief ones for those who look at a terminal. */
final class MessageTable {
  private static final Pattern EXCEPTION =
      Pattern.compile("\\b(?:[a-z_][\\w$]*\\.)+([A-Z]\\w*(?:Exception|Error)\\b)");
  private static final int NAME = 10;
  private static final int ERROR = 16;

  private MessageTable() {}

  static Table ofEvents(List<EventRow> rows, boolean brief) {
    Table table =
        new Table()
            .column("ID")
            .flexible("TOPIC", NAME)
            .column("STATUS")
            .number("TRIES")
            .number("AGE")
            .optional("TENANT", NAME)
            .optional("ERROR", ERROR);
    rows.forEach(
        row ->
            table.row(
                Shown.line(row.id()),
                Shown.line(row.topic()),
                status(row),
                Shown.number(row.attempts()),
                age(row.createdAt()),
                Shown.line(row.tenant()),
                error(row.errorSnippet(), brief)));
    return table;
  }

  static Table ofInbox(List<InboxRow> rows, boolean brief) {
    Table table =
        new Table()
            .column("MESSAGE")
            .flexible("SOURCE", NAME)
            .column("STATUS")
            .number("TRIES")
            .number("AGE")
            .optional("TOPIC", NAME)
            .optional("ERROR", ERROR);
    rows.forEach(
        row ->
            table.row(
                Shown.line(row.key().messageId()),
                Shown.line(row.key().source()),
                status(row),
                Shown.number(row.attempts()),
                age(row.firstSeenAt()),
                Shown.line(row.topic()),
                error(row.errorSnippet(), brief)));
    return table;
  }

  private static String age(Instant since) {
    return Shown.age(Duration.between(since, Instant.now()));
  }

  /** Where there is little room, the class of an exception without its package. */
  private static String error(@Nullable String error, boolean brief) {
    String line = Shown.line(error);
    return brief ? EXCEPTION.matcher(line).replaceAll("$1") : line;
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
