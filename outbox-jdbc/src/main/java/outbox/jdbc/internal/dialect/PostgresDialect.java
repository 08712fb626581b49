package outbox.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** PostgreSQL: arrays for ids, one statement for each operation. */
public final class PostgresDialect extends Dialect {
  private static final int MAX_ROWS = 1000;
  private static final int LOCK_MILLIS = 500;

  /** The server is not older than this library knows it: that saves two statements. */
  private static final Map<String, String> CONNECT_SETTINGS =
      Map.of("connectTimeout", "5", "loginTimeout", "5", "assumeMinServerVersion", "9.0");

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  @Override
  public String product() {
    return "PostgreSQL";
  }

  @Override
  String oldestVersion() {
    return "15";
  }

  @Override
  public Map<String, String> connectSettings(String url) {
    return url.startsWith("jdbc:postgresql:") ? CONNECT_SETTINGS : Map.of();
  }

  @Override
  public String statementFile() {
    return "postgresql";
  }

  /** Not now(), which is the transaction's start, nor the volatile clock_timestamp(). */
  @Override
  public String now() {
    return "statement_timestamp()";
  }

  @Override
  public InstantType instants() {
    return InstantType.TEXT_WITH_OFFSET;
  }

  @Override
  public boolean returnsRows() {
    return true;
  }

  @Override
  public boolean changesInQueries() {
    return true;
  }

  @Override
  public boolean insertsPastDuplicates() {
    return true;
  }

  @Override
  public boolean notifies() {
    return true;
  }

  @Override
  public boolean hasArrays() {
    return true;
  }

  @Override
  public boolean hasRoutines() {
    return true;
  }

  @Override
  public int maxRows() {
    return MAX_ROWS;
  }

  @Override
  public int sessionLevel(Connection conn) {
    return Connection.TRANSACTION_READ_COMMITTED;
  }

  @Override
  public void transactionBegun(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
  }

  /** What locks a message or a join for a new step or a wait also writes it. */
  @Override
  public boolean endsAtAnyLevel() {
    return true;
  }

  @Override
  public boolean repeatsInstants() {
    return true;
  }

  /** One that was made for an empty table must not be used for a full one. */
  @Override
  public boolean keepsPlans() {
    return true;
  }

  /** One round trip for all. Sorting a tenth of the table is never what a page of a list needs. */
  @Override
  public List<String> lookSettings(Duration timeLimit) {
    return List.of(
        "SET LOCAL statement_timeout = "
            + timeLimit.toMillis()
            + "; SET LOCAL plan_cache_mode = force_custom_plan"
            + "; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"
            + "; SET LOCAL enable_sort = off; SET LOCAL max_parallel_workers_per_gather = 0"
            + "; SET LOCAL jit = off");
  }

  @Override
  public void cancel(Connection conn, Statement statement) throws SQLException {
    try {
      PostgresDriver.cancel(conn, statement);
    } catch (NoClassDefFoundError e) {
      statement.cancel();
    }
  }

  @Override
  public boolean tryLockSchema(Connection conn, String key) throws SQLException {
    return advisory(conn, "SELECT pg_try_advisory_lock(hashtext(?))", key);
  }

  @Override
  public void unlockSchema(Connection conn, String key) throws SQLException {
    if (!conn.isClosed()) {
      advisory(conn, "SELECT pg_advisory_unlock(hashtext(?))", key);
    }
  }

  private static boolean advisory(Connection conn, String sql, String key) throws SQLException {
    try (PreparedStatement lock = conn.prepareStatement(sql)) {
      lock.setString(1, key);
      try (ResultSet row = lock.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /**
   * Shorter than deadlock_timeout, which is a second by default: in a deadlock, it is this
   * transaction that gives up and tries again, and never the application's that is cancelled.
   */
  @Override
  public List<String> shortLockWaits() {
    return List.of("SET LOCAL lock_timeout = '" + LOCK_MILLIS + "ms'");
  }

  @Override
  public List<String> longWaits() {
    return List.of("SET lock_timeout = 0", "SET statement_timeout = 0");
  }

  @Override
  public List<String> usualWaits() {
    return List.of("RESET lock_timeout", "RESET statement_timeout");
  }

  @Override
  public boolean isLockTimeout(SQLException e) {
    return LOCK_NOT_AVAILABLE.equals(e.getSQLState());
  }

  @Override
  public String online(String sql) {
    return sql.replaceFirst("^(CREATE (?:UNIQUE )?INDEX|DROP INDEX) ", "$1 CONCURRENTLY ");
  }

  @Override
  public boolean buildsIndexesAside() {
    return true;
  }
}
