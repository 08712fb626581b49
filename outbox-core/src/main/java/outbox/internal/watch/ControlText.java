package outbox.internal.watch;

import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

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

  /**
   * Whether a statement of the text controls the transaction or commits it by itself. May be wrong
   * only where it says yes.
   *
   * @param database tells which database it is; called only if that matters for this text
   */
  static boolean isIn(String sql, Supplier<TransactionHabits> database) {
    SqlText text = new SqlText(sql, database);
    if (controls(sql, text, 0, database)) {
      return true;
    }
    if (sql.indexOf(';') < 0) {
      return false;
    }
    int end = text.endOfStatement(0);
    while (end < sql.length()) {
      if (controls(sql, text, end + 1, database)) {
        return true;
      }
      end = text.endOfStatement(end + 1);
    }
    return false;
  }

  private static boolean controls(
      String sql, SqlText text, int from, Supplier<TransactionHabits> database) {
    int start = text.skipBlanks(from);
    String word = text.word(start, LONGEST);
    if (word.isEmpty()) {
      return sql.startsWith("/*", start);
    }
    return WORDS.contains(word)
        || (word.equals("SET") && sql.toUpperCase(Locale.ROOT).contains("AUTOCOMMIT"))
        || (TransactionHabits.mayCommit(word) && database.get().commitsBy(word, sql, start));
  }
}
