package outbox.admin.data;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import outbox.jdbc.internal.query.BoundedQueries;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.spi.StoreException;

/** Runs statements, and says so if one was stopped at its time limit. */
final class Looks {
  /** Query cancelled: PostgreSQL and H2; MariaDB. */
  private static final Set<String> STOPPED = Set.of("57014", "70100");

  /** No such table: PostgreSQL; MariaDB and H2; H2 with a guess, or without any table. */
  private static final Set<String> MISSING = Set.of("42P01", "42S02", "42S03", "42S04");

  /** SQL Server's driver has no such state, only this number. */
  private static final int SQLSERVER_NO_TABLE = 208;

  private final BoundedQueries queries;
  private final Duration limit;

  Looks(BoundedQueries queries, Duration limit) {
    this.queries = queries;
    this.limit = limit;
  }

  <T> T look(Function<Session, T> work) {
    return limited(limit, () -> queries.look(work));
  }

  <T> T change(Function<Session, T> work) {
    return limited(limit, () -> queries.change(work));
  }

  /** As {@link #look}, for calls of the library's own stores on {@link LimitedConnections}. */
  <T> T limited(Supplier<T> work) {
    return limited(limit, work);
  }

  /** Whether the tables are there. */
  boolean present() {
    try {
      look(session -> session.query("probe", values -> {}, row -> row));
      return true;
    } catch (StoreException e) {
      if (e.getCause() instanceof SQLException cause && isMissing(cause)) {
        return false;
      }
      throw e;
    }
  }

  static <T> T limited(Duration limit, Supplier<T> work) {
    try {
      return work.get();
    } catch (StoreException e) {
      if (e.getCause() instanceof SQLException cause && isStopped(cause)) {
        throw new TooSlowException(
            "the database did not answer within timeLimit ("
                + limit
                + "); it is busy, or the limit is too short for it",
            cause);
      }
      throw e;
    }
  }

  private static boolean isStopped(SQLException e) {
    return e instanceof SQLTimeoutException
        || (e.getSQLState() != null && STOPPED.contains(e.getSQLState()));
  }

  private static boolean isMissing(SQLException e) {
    String state = e.getSQLState();
    return e.getErrorCode() == SQLSERVER_NO_TABLE || (state != null && MISSING.contains(state));
  }
}
