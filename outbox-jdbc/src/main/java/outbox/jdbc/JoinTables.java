package outbox.jdbc;

import java.util.ArrayList;
import java.util.List;

/** The names of the tables of joins; those of steps and waits follow from that of the joins. */
record JoinTables(TableName joins) {
  static final JoinTables DEFAULT = of("outbox_join");

  static JoinTables of(String joinTableName) {
    return new JoinTables(TableName.of(joinTableName));
  }

  /** Puts the names into a statement. */
  String named(String sql) {
    return sql.replace("{joins}", joins.toString())
        .replace("{members}", joins + "_member")
        .replace("{waits}", joins + "_wait")
        .replace("{join_name}", joins.name());
  }

  /**
   * How the command goes on that creates them, beside the table of events, and the call instead.
   */
  String wayOut() {
    boolean usual = equals(DEFAULT);
    return " --joins"
        + (usual ? "" : "=" + joins)
        + ", or OutboxSchema.of(dataSource).withJoins("
        + (usual ? "" : "\"" + joins + "\"")
        + ").deploy()";
  }

  /** The statements that create what is missing, beside the given table of events. */
  List<String> schema(Dialect dialect, TableName events) {
    List<String> all =
        new ArrayList<>(SqlFile.script("schema/" + dialect.statementFile() + "/joins.sql"));
    if (dialect.hasRoutines()) {
      String file = "routines/" + dialect.statementFile() + "-joins.sql";
      all.addAll(SqlFile.named(file).values());
    }
    return all.stream()
        .map(
            sql -> named(sql).replace("{table}", events.toString()).replace("{now}", dialect.now()))
        .toList();
  }
}
