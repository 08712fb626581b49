package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** H2: embedded, so the JVM's clock is the database's. Its own stands still in a transaction. */
final class H2Dialect extends Dialect {
  /** Deadlock, lock timeout, concurrent update. */
  private static final Set<Integer> TRANSIENT = Set.of(40001, 50200, 90131);

  private static final int SCHEMA_TRIES = 20;
  private static final ReentrantLock SCHEMA_LOCK = new ReentrantLock();

  @Override
  String product() {
    return "H2";
  }

  @Override
  String oldestVersion() {
    return "2.3.230";
  }

  @Override
  String statementFile() {
    return "h2";
  }

  @Override
  String now() {
    return "CAST(:now AS TIMESTAMP(6) WITH TIME ZONE)";
  }

  @Override
  InstantType instants() {
    return InstantType.WITH_OFFSET;
  }

  @Override
  Leases leases(Statements statements) {
    return new LockingLeases(statements, this);
  }

  @Override
  KeyedInserts keyedInserts(Statements statements) {
    return new CatchingInserts(statements, this);
  }

  @Override
  boolean isTransient(SQLException e) {
    return super.isTransient(e) || TRANSIENT.contains(e.getErrorCode());
  }

  /** Keeps the nodes of this JVM apart; while a column is added, others would miss the table. */
  @Override
  boolean tryLockSchema(Connection conn, String key) {
    return SCHEMA_LOCK.tryLock();
  }

  @Override
  void unlockSchema(Connection conn, String key) {
    SCHEMA_LOCK.unlock();
  }

  /** For the nodes of other JVMs, which meet in a server. */
  @Override
  int schemaTries() {
    return SCHEMA_TRIES;
  }
}
