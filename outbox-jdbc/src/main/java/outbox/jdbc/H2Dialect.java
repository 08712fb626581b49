package outbox.jdbc;

import java.sql.SQLException;
import java.util.Set;

/** H2: embedded, so the JVM's clock is the database's. Its own stands still in a transaction. */
final class H2Dialect extends Dialect {
  /** Deadlock, lock timeout, concurrent update. */
  private static final Set<Integer> TRANSIENT = Set.of(40001, 50200, 90131);

  private static final int SCHEMA_TRIES = 20;

  @Override
  String product() {
    return "H2";
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
  boolean isTransient(SQLException e) {
    return TRANSIENT.contains(e.getErrorCode());
  }

  @Override
  int schemaTries() {
    return SCHEMA_TRIES;
  }
}
