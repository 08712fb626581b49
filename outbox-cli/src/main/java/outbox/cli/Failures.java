package outbox.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.TooSlowException;
import outbox.internal.util.Causes;

/** What went wrong, in one line. */
final class Failures {
  private Failures() {}

  static String describe(Throwable failure) {
    SQLException said = sqlCause(failure);
    String text =
        said == null || failure instanceof TooSlowException
            ? chain(failure)
            : database(failure, said);
    return Secrets.hidden(Shown.line(text));
  }

  static String trace(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace, true));
    return Secrets.hidden(trace.toString());
  }

  /** A wrong value that only a later check finds is as much the caller's as a misspelt option. */
  static boolean isWrongCall(Throwable failure) {
    return failure instanceof WrongCallException || failure instanceof IllegalArgumentException;
  }

  private static String database(Throwable failure, SQLException said) {
    String state = String.valueOf(said.getSQLState());
    if (state.startsWith("28")) {
      return "the database does not let this user in: " + said.getMessage();
    }
    if (state.startsWith("08") || state.equals("90067")) {
      return "the database cannot be reached: " + chain(said);
    }
    if (state.equals(H2Files.NOT_FOUND)) {
      return "there is no database at this --url, and only 'outbox schema migrate' creates one: "
          + said.getMessage();
    }
    return chain(failure);
  }

  /** With its causes: what the database said is at the end of them. */
  private static String chain(Throwable failure) {
    Throwable cause = failure.getCause();
    String text =
        failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    String more = cause == null || cause == failure ? "" : chain(cause);
    return more.isEmpty() || text.contains(more) ? text : text + ": " + more;
  }

  /** The innermost: a pool's says less than the driver's that it wraps. */
  private static @Nullable SQLException sqlCause(Throwable failure) {
    SQLException found = null;
    for (Throwable cause : Causes.of(failure)) {
      if (cause instanceof SQLException said) {
        found = said;
      }
    }
    return found;
  }
}
