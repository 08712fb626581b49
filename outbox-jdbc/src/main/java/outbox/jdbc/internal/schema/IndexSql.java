package outbox.jdbc.internal.schema;

import java.util.regex.Pattern;

/** Distinguishes statements that create or drop an index from those that alter the table. */
public final class IndexSql {
  /** Its first group is the name of the index. */
  public static final Pattern CREATE =
      Pattern.compile("^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(\\S+)");

  private static final Pattern DROP = Pattern.compile("^DROP INDEX ");

  private IndexSql() {}

  public static boolean matches(String sql) {
    return CREATE.matcher(sql).find() || DROP.matcher(sql).find();
  }
}
