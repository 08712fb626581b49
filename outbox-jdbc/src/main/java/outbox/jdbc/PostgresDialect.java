package outbox.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** PostgreSQL: arrays for ids, one statement for each operation. */
final class PostgresDialect extends Dialect {
  private static final Duration PLAN_LIFE = Duration.ofSeconds(10);
  private static final int MAX_ROWS = 1000;

  @Override
  String product() {
    return "PostgreSQL";
  }

  @Override
  String statementFile() {
    return "postgresql";
  }

  /** Not now(), which is the transaction's start, nor the volatile clock_timestamp(). */
  @Override
  String now() {
    return "statement_timestamp()";
  }

  @Override
  InstantType instants() {
    return InstantType.TEXT_WITH_OFFSET;
  }

  @Override
  Leases leases(Statements statements) {
    return new ReturningLeases(statements, this);
  }

  @Override
  StepFlip stepFlip(Statements statements) {
    return new ReturningStepFlip(statements);
  }

  @Override
  boolean hasArrays() {
    return true;
  }

  @Override
  boolean hasRoutines() {
    return true;
  }

  @Override
  int maxRows() {
    return MAX_ROWS;
  }

  @Override
  int sessionLevel(Connection conn) {
    return Connection.TRANSACTION_READ_COMMITTED;
  }

  @Override
  void transactionBegun(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
  }

  @Override
  boolean repeatsInstants() {
    return true;
  }

  /**
   * Another text every few seconds, and so another plan: the one that was made for an empty table
   * must not be used for a full one. Planning each time would cost more than the smaller batches.
   */
  @Override
  String planned(String sql) {
    return sql + "\n-- plan " + System.nanoTime() / PLAN_LIFE.toNanos();
  }

  @Override
  void lockSchema(Connection conn, String key) throws SQLException {
    try (PreparedStatement lock =
        conn.prepareStatement("SELECT pg_advisory_xact_lock(hashtext(?))")) {
      lock.setString(1, key);
      lock.execute();
    }
  }
}
