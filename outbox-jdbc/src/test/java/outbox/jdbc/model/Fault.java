package outbox.jdbc.model;

import java.sql.SQLException;
import java.util.Random;

/**
 * What goes wrong in an operation.
 *
 * @param at at which statement or commit, counted from 1
 * @param kind what happens there
 */
record Fault(int at, Kind kind) {
  private static final int LATEST = 8;

  /** What happens. */
  enum Kind {
    /** It is refused, and everything after it works. */
    REFUSED("58030"),
    /** The database gives it up for another one; the product tries the operation again. */
    DEADLOCK("40001"),
    /** The connection breaks before it is done. */
    BROKEN_BEFORE("08006"),
    /** The connection breaks after it was done, so that its caller does not know. */
    BROKEN_AFTER("08006");

    private final String sqlState;

    Kind(String sqlState) {
      this.sqlState = sqlState;
    }

    boolean isDone() {
      return this == BROKEN_AFTER;
    }

    boolean breaks() {
      return this == BROKEN_BEFORE || this == BROKEN_AFTER;
    }
  }

  /** Of any kind, at one of the first few calls. */
  static Fault any(Random random) {
    Kind[] kinds = Kind.values();
    return new Fault(1 + random.nextInt(LATEST), kinds[random.nextInt(kinds.length)]);
  }

  SQLException thrown() {
    return new Injected(toString(), kind.sqlState);
  }

  /** Whether it is why something was thrown. */
  static boolean caused(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof Injected) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return "call " + at + " is " + kind;
  }

  private static final class Injected extends SQLException {
    private static final long serialVersionUID = 1;

    Injected(String reason, String sqlState) {
      super(reason, sqlState);
    }
  }
}
