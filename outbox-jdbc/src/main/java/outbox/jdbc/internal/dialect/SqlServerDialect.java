package outbox.jdbc.internal.dialect;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.spi.StoreException;

/** SQL Server 2016 SP1 or newer: OUTPUT returns the rows that a statement changed. */
final class SqlServerDialect extends Dialect {
  private static final Set<Integer> TRANSIENT = Set.of(1205, 3960);

  /** Of a unique index and of a primary key. */
  private static final Set<Integer> DUPLICATE = Set.of(2601, 2627);

  private static final int MAX_ROWS = 115;
  private static final int LOCK_TIMEOUT = 1222;

  @Override
  public String product() {
    return "Microsoft SQL Server";
  }

  /** SQL Server 2016. */
  @Override
  String oldestVersion() {
    return "13.0";
  }

  /** Without row versions a reader's locks would stop writers, and theirs the reader. */
  @Override
  public int lookLevel() {
    return Connection.TRANSACTION_READ_UNCOMMITTED;
  }

  @Override
  public Map<String, String> connectSettings(String url) {
    return url.startsWith("jdbc:sqlserver:") ? Map.of("loginTimeout", "5") : Map.of();
  }

  @Override
  public String statementFile() {
    return "sqlserver";
  }

  @Override
  public String now() {
    return "SYSUTCDATETIME()";
  }

  @Override
  public InstantType instants() {
    return InstantType.LOCAL_IN_UTC;
  }

  @Override
  public boolean returnsRows() {
    return true;
  }

  /** Nothing of it has run on a live server: what cannot be shown to keep the order is refused. */
  @Override
  public boolean keepsOrder() {
    return false;
  }

  @Override
  public boolean insertsPastDuplicates() {
    return true;
  }

  /** 2,100 parameters, 16 or 18 for each event. */
  @Override
  public int maxRows() {
    return MAX_ROWS;
  }

  /** READPAST is refused at SERIALIZABLE. */
  @Override
  public boolean runsAlone(Connection conn) {
    try {
      return conn.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED;
    } catch (SQLException e) {
      throw new StoreException("the connection is unusable", e);
    }
  }

  /** Deadlock victim and snapshot update conflict. */
  @Override
  public boolean isTransient(SQLException e) {
    return super.isTransient(e) || TRANSIENT.contains(e.getErrorCode());
  }

  @Override
  public boolean isDuplicate(SQLException e) {
    return DUPLICATE.contains(e.getErrorCode());
  }

  @Override
  public boolean hasRoutines() {
    return true;
  }

  /** A procedure must be alone in its batch. */
  @Override
  public String statementEnd() {
    return ";\nGO\n\n";
  }

  /** A filtered index needs both, and a procedure keeps those that it was created with. */
  @Override
  public List<String> schemaSettings() {
    return List.of("SET QUOTED_IDENTIFIER ON", "SET ANSI_NULLS ON");
  }

  @Override
  public boolean tryLockSchema(Connection conn, String key) throws SQLException {
    try (CallableStatement lock =
        conn.prepareCall(
            "{? = call sp_getapplock(@Resource = ?, @LockMode = 'Exclusive',"
                + " @LockOwner = 'Session', @LockTimeout = 0)}")) {
      lock.registerOutParameter(1, Types.INTEGER);
      lock.setString(2, key);
      lock.execute();
      return lock.getInt(1) >= 0;
    }
  }

  @Override
  public void unlockSchema(Connection conn, String key) throws SQLException {
    if (conn.isClosed()) {
      return;
    }
    try (CallableStatement unlock =
        conn.prepareCall("{call sp_releaseapplock(@Resource = ?, @LockOwner = 'Session')}")) {
      unlock.setString(1, key);
      unlock.execute();
    }
  }

  @Override
  public List<String> shortLockWaits() {
    return List.of("SET LOCK_TIMEOUT 1000");
  }

  @Override
  public List<String> usualWaits() {
    return List.of("SET LOCK_TIMEOUT -1");
  }

  @Override
  public boolean isLockTimeout(SQLException e) {
    return e.getErrorCode() == LOCK_TIMEOUT;
  }
}
