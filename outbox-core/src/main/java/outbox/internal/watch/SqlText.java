package outbox.internal.watch;

import static outbox.internal.watch.TransactionHabits.H2;
import static outbox.internal.watch.TransactionHabits.MARIADB_OR_MYSQL;
import static outbox.internal.watch.TransactionHabits.POSTGRESQL;
import static outbox.internal.watch.TransactionHabits.UNKNOWN;

import java.util.Locale;
import java.util.function.Supplier;

/**
 * Finds the statements of an SQL text: knows literals, quoted names and comments, and nothing else.
 * Asks which database it is only where that matters.
 */
final class SqlText {
  private final String sql;
  private final Supplier<TransactionHabits> database;

  SqlText(String sql, Supplier<TransactionHabits> database) {
    this.sql = sql;
    this.database = database;
  }

  /** Where the statement that continues here ends: at its semicolon, or with the text. */
  int endOfStatement(int from) {
    int at = from;
    while (at < sql.length() && sql.charAt(at) != ';') {
      at = afterPart(at);
    }
    return at;
  }

  /** Skips space, brackets and comments; stops at a comment that MariaDB or MySQL executes. */
  int skipBlanks(int from) {
    int at = from;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (isComment(at)) {
        at = afterComment(at);
      } else if (Character.isWhitespace(c) || c == '(' || c == '{') {
        at++;
      } else {
        return at;
      }
    }
    return at;
  }

  /** The word that begins here in upper case; empty if there is none or it is longer. */
  String word(int start, int longest) {
    int end = start;
    while (end < sql.length() && end - start <= longest && Character.isLetter(sql.charAt(end))) {
      end++;
    }
    return end - start > longest ? "" : sql.substring(start, end).toUpperCase(Locale.ROOT);
  }

  /** Skips a literal, a quoted name, a comment, or one character. */
  private int afterPart(int at) {
    return switch (sql.charAt(at)) {
      case '\'' -> afterQuoted(at, '\'', is(MARIADB_OR_MYSQL) || isEscapeString(at));
      case '"' -> afterQuoted(at, '"', is(MARIADB_OR_MYSQL));
      case '`' -> afterQuoted(at, '`', false);
      case '[' -> is(UNKNOWN) ? afterQuoted(at, ']', false) : at + 1;
      case '$' -> is(POSTGRESQL) || is(H2) ? afterDollars(at) : at + 1;
      default -> isComment(at) ? afterComment(at) : at + 1;
    };
  }

  /** A closing quote that is doubled does not close. */
  private int afterQuoted(int start, char close, boolean backslashEscapes) {
    int at = start + 1;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == close && !(at + 1 < sql.length() && sql.charAt(at + 1) == close)) {
        return at + 1;
      }
      at += c == close || (c == '\\' && backslashEscapes) ? 2 : 1;
    }
    return sql.length();
  }

  /** PostgreSQL's {@code E'…'}. */
  private boolean isEscapeString(int quote) {
    return quote > 0
        && (sql.charAt(quote - 1) == 'E' || sql.charAt(quote - 1) == 'e')
        && !(quote > 1 && Character.isJavaIdentifierPart(sql.charAt(quote - 2)));
  }

  /**
   * Skips {@code $tag$…$tag$}, on H2 only without a tag; a dollar sign may also be part of a name
   * or a parameter.
   */
  private int afterDollars(int start) {
    int end = start + 1;
    while (end < sql.length() && isTag(sql.charAt(end)) && is(POSTGRESQL)) {
      end++;
    }
    boolean quotes =
        end < sql.length()
            && sql.charAt(end) == '$'
            && !Character.isDigit(sql.charAt(start + 1))
            && !(start > 0 && Character.isJavaIdentifierPart(sql.charAt(start - 1)));
    return quotes ? after(sql.substring(start, end + 1), end + 1) : start + 1;
  }

  private static boolean isTag(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private boolean isComment(int at) {
    return switch (sql.charAt(at)) {
      case '#' -> is(MARIADB_OR_MYSQL);
      case '-' -> sql.startsWith("--", at) && (isBlank(at + 2) || !is(MARIADB_OR_MYSQL));
      case '/' ->
          sql.startsWith("/*", at)
              ? !(isExecuted(at) && is(MARIADB_OR_MYSQL))
              : sql.startsWith("//", at) && is(H2);
      default -> false;
    };
  }

  private boolean isBlank(int at) {
    return at >= sql.length() || Character.isWhitespace(sql.charAt(at));
  }

  private boolean isExecuted(int at) {
    return sql.startsWith("/*!", at) || sql.startsWith("/*M!", at);
  }

  /** Comments can be nested, but not on MariaDB and MySQL. */
  private int afterComment(int start) {
    if (!sql.startsWith("/*", start)) {
      return afterLine(start);
    }
    int at = start + 2;
    int depth = 1;
    while (at < sql.length() && depth > 0) {
      if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else if (sql.startsWith("/*", at) && !is(MARIADB_OR_MYSQL)) {
        depth++;
        at += 2;
      } else {
        at++;
      }
    }
    return at;
  }

  private int afterLine(int start) {
    int at = start;
    while (at < sql.length() && !endsLine(sql.charAt(at))) {
      at++;
    }
    return Math.min(at + 1, sql.length());
  }

  private boolean endsLine(char c) {
    return c == '\n' || (c == '\r' && !is(MARIADB_OR_MYSQL));
  }

  private int after(String end, int from) {
    int found = sql.indexOf(end, from);
    return found < 0 ? sql.length() : found + end.length();
  }

  private boolean is(TransactionHabits one) {
    return database.get() == one;
  }
}
