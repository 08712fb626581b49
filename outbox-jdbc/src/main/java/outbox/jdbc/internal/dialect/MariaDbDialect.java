package outbox.jdbc.internal.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** MariaDB: locks first, at READ COMMITTED, and keeps its times in UTC. */
class MariaDbDialect extends Dialect {
  /** Lock wait timeout, deadlock, record changed since the snapshot. */
  private static final Set<Integer> TRANSIENT = Set.of(1205, 1213, 1020);

  private static final int LOCK_WAIT_TIMEOUT = 1205;

  private static final int DUPLICATE_ENTRY = 1062;

  @Override
  public String product() {
    return "MariaDB";
  }

  /** The first with SKIP LOCKED. */
  @Override
  String oldestVersion() {
    return "10.6";
  }

  /** MySQL's driver takes MariaDB for MySQL; the version tells. */
  @Override
  boolean recognizes(String product, String version) {
    return product.equals("MariaDB") || version.contains("MariaDB");
  }

  @Override
  public Map<String, String> connectSettings(String url) {
    return url.startsWith("jdbc:mariadb:") ? Map.of("connectTimeout", "5000") : Map.of();
  }

  @Override
  public String statementFile() {
    return "mariadb";
  }

  @Override
  public String now() {
    return "UTC_TIMESTAMP(6)";
  }

  @Override
  public InstantType instants() {
    return InstantType.LOCAL_IN_UTC;
  }

  @Override
  public boolean schemasAreCatalogs() {
    return true;
  }

  @Override
  public boolean upserts() {
    return true;
  }

  @Override
  public Set<String> statementsOfOthers() {
    return Set.of("give_key");
  }

  /** For this transaction only: REPEATABLE READ, the default, would lock gaps as well. */
  @Override
  public void transactionBegun(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
  }

  @Override
  public int sessionLevel(Connection conn) {
    return Connection.TRANSACTION_READ_COMMITTED;
  }

  @Override
  public boolean readsOldSnapshots() {
    return true;
  }

  @Override
  public boolean isTransient(SQLException e) {
    return super.isTransient(e) || TRANSIENT.contains(e.getErrorCode());
  }

  @Override
  public boolean isDuplicate(SQLException e) {
    return e.getErrorCode() == DUPLICATE_ENTRY;
  }

  @Override
  public boolean tryLockSchema(Connection conn, String key) throws SQLException {
    try (PreparedStatement lock = conn.prepareStatement("SELECT GET_LOCK(?, 0)")) {
      lock.setString(1, lockName(key));
      try (ResultSet row = lock.executeQuery()) {
        return row.next() && row.getInt(1) == 1;
      }
    }
  }

  @Override
  public void unlockSchema(Connection conn, String key) throws SQLException {
    if (conn.isClosed()) {
      return;
    }
    try (PreparedStatement unlock = conn.prepareStatement("SELECT RELEASE_LOCK(?)")) {
      unlock.setString(1, lockName(key));
      unlock.execute();
    }
  }

  /** A name has 64 characters at the most, and MySQL 9 has no MD5 to shorten one. */
  private static String lockName(String key) {
    return "outbox-" + UUID.nameUUIDFromBytes(key.getBytes(UTF_8));
  }

  @Override
  public List<String> shortLockWaits() {
    return List.of("SET lock_wait_timeout = 1", "SET innodb_lock_wait_timeout = 1");
  }

  @Override
  public List<String> usualWaits() {
    return List.of("SET lock_wait_timeout = DEFAULT", "SET innodb_lock_wait_timeout = DEFAULT");
  }

  /** What keeps writers out takes long, for a whole table. */
  @Override
  public List<String> tableLocks(String sql, TableName table) {
    return sql.contains("LOCK = SHARED") ? List.of("LOCK TABLES " + table + " WRITE") : List.of();
  }

  @Override
  public List<String> tableUnlock() {
    return List.of("UNLOCK TABLES");
  }

  @Override
  public boolean isLockTimeout(SQLException e) {
    return e.getErrorCode() == LOCK_WAIT_TIMEOUT;
  }
}
