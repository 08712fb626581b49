package outbox.internal.watch;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a database does to a transaction by itself: after a failure, and at some statements. */
public enum TransactionHabits {
  /** Refuses everything until the transaction, or a savepoint, is rolled back. */
  POSTGRESQL {
    @Override
    public boolean keepsTransaction(SQLException e) {
      return true;
    }

    @Override
    public boolean refusesAfterFailure() {
      return true;
    }
  },

  /** Undo the statement, or the whole transaction after a deadlock; then a new one begins. */
  MARIADB_OR_MYSQL {
    @Override
    public boolean keepsTransaction(SQLException e) {
      return undoesStatement(e) && !isOneOfManyFailures(e);
    }

    @Override
    boolean commitsBy(String word, String sql, int start) {
      return COMMITTING.contains(word) && !begins(OF_TEMPORARY_TABLE, sql, start);
    }
  },

  /** As above. The driver releases a savepoint without asking whether it exists. */
  H2 {
    @Override
    public boolean keepsTransaction(SQLException e) {
      return undoesStatement(e);
    }

    @Override
    public boolean provesBySavepoint() {
      return false;
    }

    @Override
    public boolean commitsAtIsolation() {
      return true;
    }

    @Override
    boolean commitsBy(String word, String sql, int start) {
      return COMMITTING_ON_H2.contains(word) && !begins(OF_TRANSACTIONAL_TABLE, sql, start);
    }
  },

  /** Nothing is taken for granted; on SQL Server the answer depends on XACT_ABORT. */
  UNKNOWN {
    @Override
    public boolean keepsTransaction(SQLException e) {
      return false;
    }
  };

  /** A procedure may end the transaction, too. */
  private static final Set<String> COMMITTING =
      Set.of(
          "ALTER",
          "ANALYZE",
          "CACHE",
          "CALL",
          "CHECK",
          "CREATE",
          "DROP",
          "FLUSH",
          "GRANT",
          "INSTALL",
          "LOCK",
          "OPTIMIZE",
          "RENAME",
          "REPAIR",
          "RESET",
          "REVOKE",
          "TRUNCATE",
          "UNINSTALL",
          "UNLOCK");

  private static final Set<String> COMMITTING_ON_H2 =
      Set.of(
          "ALTER",
          "ANALYZE",
          "COMMENT",
          "CREATE",
          "DROP",
          "GRANT",
          "REVOKE",
          "RUNSCRIPT",
          "SCRIPT",
          "TRUNCATE");

  /** Of the causes of an error: a chain may have no end. */
  private static final int DEEPEST = 100;

  private static final Pattern OF_TEMPORARY_TABLE =
      Pattern.compile(
          "(CREATE(\\s+OR\\s+REPLACE)?|DROP)\\s+TEMPORARY\\s", Pattern.CASE_INSENSITIVE);

  private static final Pattern OF_TRANSACTIONAL_TABLE =
      Pattern.compile(
          "CREATE(\\s+(CACHED|MEMORY|LOCAL|GLOBAL))*\\s+TEMP(ORARY)?\\s[^;]*\\sTRANSACTIONAL\\b",
          Pattern.CASE_INSENSITIVE);

  /** Wrong number of values, wrong data, violated constraint, wrong statement. */
  private static final Set<String> STATEMENT_ONLY = Set.of("21", "22", "23", "42");

  public static TransactionHabits of(Connection connection) {
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

  /** What the database or its driver said; null if the error does not go back to that. */
  public static @Nullable SQLException sqlFailure(Throwable error) {
    @Nullable Throwable cause = error;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof SQLException e) {
        return e;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /** Whether the transaction is never replaced by a new one because of this failure. */
  public abstract boolean keepsTransaction(SQLException e);

  /** Whether a failure makes everything else fail, the completion of a listener included. */
  public boolean refusesAfterFailure() {
    return false;
  }

  /** Whether {@link Connection#setTransactionIsolation} commits. */
  public boolean commitsAtIsolation() {
    return false;
  }

  /** Whether the release of a savepoint fails in another transaction than that it was set in. */
  public boolean provesBySavepoint() {
    return true;
  }

  /** Whether there is a database on which a statement that begins with this word may commit. */
  static boolean mayCommit(String word) {
    return COMMITTING.contains(word) || COMMITTING_ON_H2.contains(word);
  }

  /**
   * Whether a statement commits the transaction that it runs in, or may do so.
   *
   * @param word the first word of the statement, in upper case
   * @param start where the statement begins in the SQL text
   */
  boolean commitsBy(String word, String sql, int start) {
    return false;
  }

  private static boolean begins(Pattern pattern, String sql, int start) {
    return pattern.matcher(sql).region(start, sql.length()).lookingAt();
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

  /** The drivers continue after a failure within a batch, and report one failure only. */
  private static boolean isOneOfManyFailures(SQLException failure) {
    if (failure instanceof BatchUpdateException batch && batch.getLargeUpdateCounts() != null) {
      long[] counts = batch.getLargeUpdateCounts();
      return Arrays.stream(counts).filter(each -> each == Statement.EXECUTE_FAILED).count() > 1;
    }
    return false;
  }
}
