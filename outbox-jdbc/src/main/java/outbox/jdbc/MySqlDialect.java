package outbox.jdbc;

import java.sql.SQLException;
import java.util.Set;

/**
 * MySQL 8 and 9: MariaDB's statements; its schema scripts are others, for want of IF NOT EXISTS.
 */
final class MySqlDialect extends MariaDbDialect {
  /** The column is there, the index is there, nothing to drop, the check is there. */
  private static final Set<Integer> DONE_ALREADY = Set.of(1060, 1061, 1091, 3822);

  private static final int LOCK_NOWAIT = 3572;

  /** In the statement that converts texts to utf8mb4. */
  private static final String CONVERTED = "MODIFY COLUMN event_type ";

  @Override
  String product() {
    return "MySQL";
  }

  @Override
  String oldestVersion() {
    return "8.0";
  }

  @Override
  boolean recognizes(String product, String version) {
    return product.equals("MySQL") && !version.contains("MariaDB");
  }

  @Override
  String schemaFolder() {
    return "mysql";
  }

  @Override
  KeyedInserts keyedInserts(Statements statements) {
    return new UpdatingInserts(statements, this);
  }

  /**
   * It copies the table to convert its texts; else it would refuse, and pools drop a connection on
   * that.
   */
  @Override
  String fitting(String sql, SchemaCatalog catalog) {
    return sql.contains(CONVERTED) && catalog.hasOtherCharacters()
        ? sql.replace("LOCK = NONE", "LOCK = SHARED")
        : sql;
  }

  @Override
  boolean isDoneAlready(SQLException e) {
    return DONE_ALREADY.contains(e.getErrorCode());
  }

  @Override
  boolean isLockTimeout(SQLException e) {
    return super.isLockTimeout(e) || e.getErrorCode() == LOCK_NOWAIT;
  }
}
