package outbox.cli;

import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import outbox.admin.json.JsonObject;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaStatus;
import outbox.spi.StoreException;

/** Shows the state of a schema and what is to be done next, and ends the command by it. */
final class SchemaReport {
  private static final Logger LOG = System.getLogger(SchemaReport.class.getName());

  private final SchemaStatus outbox;
  private final @Nullable JoinsStatus joins;
  private final @Nullable SchemaStatus inbox;
  private final @Nullable Long keyless;

  private SchemaReport(
      SchemaStatus outbox,
      @Nullable JoinsStatus joins,
      @Nullable SchemaStatus inbox,
      @Nullable Long keyless) {
    this.outbox = outbox;
    this.joins = joins;
    this.inbox = inbox;
    this.keyless = keyless;
  }

  static int show(SchemaOptions options, PrintWriter out, boolean json) {
    OutboxSchema schema = options.outboxSchema();
    SchemaStatus status = schema.check();
    SchemaReport report =
        new SchemaReport(
            status,
            options.joinsStatus(status),
            options.inboxSchema().map(InboxSchema::check).orElse(null),
            isCounted(status) ? rowsWithoutKey(schema) : Long.valueOf(0));
    out.println(json ? report.fields() : report.text());
    return report.isUsable() ? 0 : Main.FAILED;
  }

  /** Null if the database gave up counting: all rows are read, and it may have a time limit. */
  private static @Nullable Long rowsWithoutKey(OutboxSchema schema) {
    try {
      return schema.rowsWithoutKey();
    } catch (StoreException e) {
      LOG.log(Level.WARNING, "rows without an idempotency key are not counted", e);
      return null;
    }
  }

  private static boolean isCounted(SchemaStatus status) {
    return status.isUsable() && !status.finalized();
  }

  private boolean isUsable() {
    return outbox.isUsable()
        && (joins == null || joins.isUsable())
        && (inbox == null || inbox.isUsable());
  }

  private String text() {
    StringBuilder text = new StringBuilder(outbox.describe());
    if (isCounted(outbox)) {
      text.append("\nrows without an idempotency key: ")
          .append(keyless == null ? "unknown, counting them failed or took too long" : keyless);
    }
    if (joins != null) {
      text.append('\n').append(joins.describe());
    }
    if (inbox != null) {
      text.append('\n').append(inbox.describe());
    }
    return text.toString();
  }

  private JsonObject fields() {
    JsonObject fields = fields(outbox).put("rowsWithoutKey", keyless);
    if (joins != null) {
      fields.put("joins", joins.fields());
    }
    if (inbox != null) {
      fields.put("inbox", fields(inbox));
    }
    return fields;
  }

  private static JsonObject fields(SchemaStatus status) {
    return new JsonObject()
        .put("table", status.table())
        .put("version", status.version())
        .put("needed", status.needed())
        .put("usable", status.isUsable())
        .put("finalized", status.finalized())
        .put("missing", status.missing())
        .put("command", status.command());
  }
}
