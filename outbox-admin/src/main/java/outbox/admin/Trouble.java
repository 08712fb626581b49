package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a database, as the log tells it: once, and once more when something else is
 * wrong or nothing any more. Thread-safe.
 */
final class Trouble {
  private static final Logger LOG = System.getLogger(Trouble.class.getName());
  private static final String NONE = "";

  private final String database;
  private String known = NONE;

  Trouble(String database) {
    this.database = database;
  }

  /** It answers, but has nothing to look at. */
  void noTables() {
    begins("OUTBOX_ADMIN_NO_TABLES", null);
  }

  /** A look at it failed. */
  void failed(@Nullable Throwable e) {
    begins("OUTBOX_ADMIN_LOOK_FAILED", e);
  }

  private synchronized void begins(String what, @Nullable Throwable e) {
    String kind = what + kind(e);
    if (!kind.equals(known)) {
      known = kind;
      LOG.log(Level.WARNING, what + " database=" + database, e);
    }
  }

  synchronized void over() {
    if (!known.equals(NONE)) {
      known = NONE;
      LOG.log(Level.INFO, "OUTBOX_ADMIN_LOOKS_AGAIN database=" + database);
    }
  }

  /** Without the messages: those of a pool hold times and numbers that are never the same. */
  private static String kind(@Nullable Throwable e) {
    if (e == null) {
      return "";
    }
    String state = e instanceof SQLException said ? said.getSQLState() : "";
    return " " + e.getClass().getName() + " " + state + kind(e.getCause());
  }
}
