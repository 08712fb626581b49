package outbox.jdbc;

import java.util.ArrayList;
import java.util.List;

/** The conditions of a statement, for databases that are not there to obey them. */
final class Conjuncts {
  private static final String WHERE = "WHERE ";
  private static final String AND = " AND ";

  private Conjuncts() {}

  /**
   * Returns the conditions that all must hold for a row to be changed: those of the last WHERE, cut
   * at each AND outside of parentheses, without the alias of the table.
   */
  static List<String> of(String statement) {
    String sql = statement.replaceAll("\\s+", " ").strip();
    String condition = sql.substring(sql.lastIndexOf(WHERE) + WHERE.length());
    List<String> conjuncts = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    for (int i = 0; i < condition.length(); i++) {
      char c = condition.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && condition.startsWith(AND, i)) {
        conjuncts.add(condition.substring(begin, i));
        begin = i + AND.length();
      }
    }
    conjuncts.add(condition.substring(begin));
    return conjuncts.stream().map(each -> each.replace("event.", "").strip()).toList();
  }
}
