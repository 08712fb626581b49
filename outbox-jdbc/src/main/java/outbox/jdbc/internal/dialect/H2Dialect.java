package outbox.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** H2: embedded, so the JVM's clock is the database's. Its own stands still in a transaction. */
public final class H2Dialect extends Dialect {
  /** Deadlock, lock timeout, concurrent update. */
  private static final Set<Integer> TRANSIENT = Set.of(40001, 50200, 90131);

  private static final int SCHEMA_TRIES = 20;
  private static final ReentrantLock SCHEMA_LOCK = new ReentrantLock();

  @Override
  public String product() {
    return "H2";
  }

  @Override
  String oldestVersion() {
    return "2.3.230";
  }

  @Override
  public String statementFile() {
    return "h2";
  }

  @Override
  public String now() {
    return "CAST(:now AS TIMESTAMP(6) WITH TIME ZONE)";
  }

  @Override
  public InstantType instants() {
    return InstantType.WITH_OFFSET;
  }

  @Override
  public boolean isTransient(SQLException e) {
    return super.isTransient(e) || TRANSIENT.contains(e.getErrorCode());
  }

  /** Keeps the nodes of this JVM apart; while a column is added, others would miss the table. */
  @Override
  public boolean tryLockSchema(Connection conn, String key) {
    return SCHEMA_LOCK.tryLock();
  }

  @Override
  public void unlockSchema(Connection conn, String key) {
    SCHEMA_LOCK.unlock();
  }

  /** For the nodes of other JVMs, which meet in a server. */
  @Override
  public int schemaTries() {
    return SCHEMA_TRIES;
  }
}
