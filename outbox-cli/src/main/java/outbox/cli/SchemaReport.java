package outbox.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SchemaStatus;

/** Shows the state of a schema, and ends the command by it. */
final class SchemaReport {
  private SchemaReport() {}

  static int show(OutboxSchema schema, PrintWriter out, boolean json) {
    SchemaStatus status = schema.check();
    boolean counted = status.isUsable() && !status.finalized();
    long keyless = counted ? schema.rowsWithoutKey() : 0;
    if (json) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("table", status.table());
      fields.put("version", status.version());
      fields.put("needed", status.needed());
      fields.put("usable", status.isUsable());
      fields.put("finalized", status.finalized());
      fields.put("missing", status.missing());
      fields.put("rowsWithoutKey", keyless);
      out.println(Json.of(fields));
    } else {
      out.println(status.describe());
      if (counted) {
        out.println("rows without an idempotency key: " + keyless);
      }
    }
    return status.isUsable() ? 0 : Main.FAILED;
  }
}
