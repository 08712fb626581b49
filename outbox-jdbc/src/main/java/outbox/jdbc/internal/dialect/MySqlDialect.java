package outbox.jdbc.internal.dialect;

import java.sql.SQLException;
import java.util.Map;
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
  public String product() {
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
  public Map<String, String> connectSettings(String url) {
    return url.startsWith("jdbc:mysql:") ? Map.of("connectTimeout", "5000") : Map.of();
  }

  @Override
  public String schemaFolder() {
    return "mysql";
  }

  @Override
  public boolean locksWhereInsertsAreRefused() {
    return true;
  }

  @Override
  public Set<String> statementsOfOthers() {
    return Set.of();
  }

  /**
   * It copies the table for that. Without this form it would refuse the statement, and pools drop a
   * connection after such an error.
   */
  @Override
  public String convertingCharacters(String sql) {
    return sql.contains(CONVERTED) ? sql.replace("LOCK = NONE", "LOCK = SHARED") : sql;
  }

  @Override
  public boolean isDoneAlready(SQLException e) {
    return DONE_ALREADY.contains(e.getErrorCode());
  }

  @Override
  public boolean isLockTimeout(SQLException e) {
    return super.isLockTimeout(e) || e.getErrorCode() == LOCK_NOWAIT;
  }
}
