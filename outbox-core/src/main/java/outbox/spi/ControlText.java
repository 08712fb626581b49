package outbox.spi;

import java.util.Locale;
import java.util.Set;

/** Tells SQL text that controls the transaction from all other text, without a parser. */
final class ControlText {
  private static final Set<String> WORDS =
      Set.of(
          "ROLLBACK",
          "COMMIT",
          "BEGIN",
          "START",
          "END",
          "ABORT",
          "SAVEPOINT",
          "SAVE",
          "RELEASE",
          "PREPARE",
          "EXECUTE",
          "XA");

  private static final int LONGEST = 9;

  private ControlText() {}

  /** May be wrong only where it says yes, such as for a text literal that contains a semicolon. */
  static boolean isIn(String sql) {
    if (controls(sql, 0)) {
      return true;
    }
    for (int end = sql.indexOf(';'); end >= 0; end = sql.indexOf(';', end + 1)) {
      if (controls(sql, end + 1)) {
        return true;
      }
    }
    return false;
  }

  private static boolean controls(String sql, int from) {
    int start = skipBlanks(sql, from);
    int end = start;
    while (end < sql.length() && end - start <= LONGEST && Character.isLetter(sql.charAt(end))) {
      end++;
    }
    if (end == start || end - start > LONGEST) {
      return sql.startsWith("/*", start);
    }
    String word = sql.substring(start, end).toUpperCase(Locale.ROOT);
    return WORDS.contains(word)
        || (word.equals("SET") && sql.toUpperCase(Locale.ROOT).contains("AUTOCOMMIT"));
  }

  /** Skips space, brackets and comments; stops at a comment that MariaDB or MySQL executes. */
  private static int skipBlanks(String sql, int from) {
    int at = from;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (sql.startsWith("/*!", at) || sql.startsWith("/*M!", at)) {
        return at;
      } else if (sql.startsWith("/*", at)) {
        at = after("*/", sql, at + 2);
      } else if (c == '#' || sql.startsWith("--", at)) {
        at = after("\n", sql, at);
      } else if (Character.isWhitespace(c) || c == '(' || c == '{') {
        at++;
      } else {
        return at;
      }
    }
    return at;
  }

  private static int after(String end, String sql, int from) {
    int found = sql.indexOf(end, from);
    return found < 0 ? sql.length() : found + end.length();
  }
}
