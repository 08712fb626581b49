package outbox.cli;

import java.util.ArrayList;
import java.util.List;
import outbox.admin.json.JsonObject;
import outbox.jdbc.schema.SchemaStatus;

/**
 * The state of the tables of joins.
 *
 * @param table the name that they begin with
 * @param missing what is not there, each in a few words
 * @param command what adds it; empty if nothing is missing
 */
record JoinsStatus(String table, List<String> missing, String command) {
  /** What the schema with joins lacks and the one without them does not. */
  static JoinsStatus of(String table, SchemaStatus with, SchemaStatus without) {
    List<String> missing = new ArrayList<>(with.missing());
    missing.removeAll(without.missing());
    return new JoinsStatus(table, missing, missing.isEmpty() ? "" : with.command());
  }

  boolean isUsable() {
    return missing.isEmpty();
  }

  String describe() {
    String tables = "tables of joins (" + table + ") ";
    return isUsable()
        ? tables + "are complete"
        : tables + "lack " + String.join(", ", missing) + "; run: " + command;
  }

  JsonObject fields() {
    return new JsonObject()
        .put("table", table)
        .put("usable", isUsable())
        .put("missing", missing)
        .put("command", command);
  }
}
