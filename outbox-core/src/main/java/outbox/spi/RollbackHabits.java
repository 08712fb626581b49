package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** What a database does to a transaction whose statement failed. */
enum RollbackHabits {
  /** Refuses everything until the transaction, or a savepoint, is rolled back. */
  POSTGRESQL {
    @Override
    boolean keepsTransaction(SQLException e) {
      return true;
    }
  },

  /** Undo the statement, or the whole transaction after a deadlock; then a new one begins. */
  MARIADB_OR_MYSQL {
    @Override
    boolean keepsTransaction(SQLException e) {
      return undoesStatement(e);
    }
  },

  /** As above. The driver releases a savepoint without asking whether it exists. */
  H2 {
    @Override
    boolean keepsTransaction(SQLException e) {
      return undoesStatement(e);
    }

    @Override
    boolean provesBySavepoint() {
      return false;
    }
  },

  /** Nothing is taken for granted; on SQL Server the answer depends on XACT_ABORT. */
  UNKNOWN {
    @Override
    boolean keepsTransaction(SQLException e) {
      return false;
    }
  };

  /** Wrong number of values, wrong data, violated constraint, wrong statement. */
  private static final Set<String> STATEMENT_ONLY = Set.of("21", "22", "23", "42");

  static RollbackHabits of(Connection connection) {
    try {
      return switch (connection.getMetaData().getDatabaseProductName()) {
        case "PostgreSQL" -> POSTGRESQL;
        case "MariaDB", "MySQL" -> MARIADB_OR_MYSQL;
        case "H2" -> H2;
        default -> UNKNOWN;
      };
    } catch (SQLException | RuntimeException e) {
      return UNKNOWN;
    }
  }

  /** Whether the transaction is never replaced by a new one because of this failure. */
  abstract boolean keepsTransaction(SQLException e);

  /** Whether the release of a savepoint fails in another transaction than that it was set in. */
  boolean provesBySavepoint() {
    return true;
  }

  /** A batch has an exception for each of its statements that failed. */
  private static boolean undoesStatement(SQLException failure) {
    for (Throwable each : failure) {
      if (each instanceof SQLException e) {
        String state = e.getSQLState();
        if (state == null
            || state.length() < 2
            || !STATEMENT_ONLY.contains(state.substring(0, 2))) {
          return false;
        }
      }
    }
    return true;
  }
}
