package outbox.jdbc.internal.sql;

import outbox.jdbc.internal.dialect.TableName;

/** The names of the tables of joins; those of steps and waits follow from that of the joins. */
public record JoinTables(TableName joins) {
  public static final JoinTables DEFAULT = of("outbox_join");

  public static JoinTables of(String joinTableName) {
    return new JoinTables(TableName.of(joinTableName));
  }

  /** Puts the names into a statement. */
  public String named(String sql) {
    return sql.replace("{joins}", joins.toString())
        .replace("{members}", joins + "_member")
        .replace("{waits}", joins + "_wait")
        .replace("{join_name}", joins.name());
  }

  public boolean areDefault() {
    return equals(DEFAULT);
  }
}
