package outbox.jdbc.mutants;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import outbox.jdbc.mutants.SqlToken.Kind;

/**
 * All the ways in which one statement is broken: each predicate, assignment, ORDER BY key, LIMIT
 * and lock dropped, each comparison turned, each constant moved. What a mutation cannot change by
 * its nature is left out: the number in {@code SELECT 1 FROM} and in {@code COUNT(CASE ... THEN 1
 * END)}, the sizes of types.
 */
final class SqlMutations {
  private static final String TRUE = "1 = 1";
  private static final String FALSE = "1 = 0";

  private static final Set<String> CLAUSES =
      Set.of(
          "WHERE",
          "GROUP",
          "HAVING",
          "WINDOW",
          "ORDER",
          "LIMIT",
          "OFFSET",
          "FOR",
          "LOCK",
          "UNION",
          "RETURNING",
          "ON",
          "SET",
          "VALUES",
          "USING",
          "INNER",
          "LEFT",
          "CROSS",
          "JOIN",
          "WHEN",
          "THEN",
          "ELSE",
          "ROWS",
          "SELECT",
          ";");

  private static final Set<String> TYPES =
      Set.of("TIMESTAMP", "DATETIME", "VARCHAR", "VARBINARY", "CHAR", "DECIMAL");

  private static final Map<String, String> TURNED =
      Map.ofEntries(
          Map.entry("<", "<="),
          Map.entry("<=", "<"),
          Map.entry(">", ">="),
          Map.entry(">=", ">"),
          Map.entry("=", "<>"),
          Map.entry("<>", "="),
          Map.entry("<=>", "<>"),
          Map.entry("EXISTS", "NOT EXISTS"),
          Map.entry("IN", "NOT IN"),
          Map.entry("BETWEEN", "NOT BETWEEN"),
          Map.entry("GREATEST", "LEAST"),
          Map.entry("LEAST", "GREATEST"),
          Map.entry("MAX", "MIN"),
          Map.entry("MIN", "MAX"));

  private final String sql;
  private final List<SqlToken> tokens;
  private final Set<Integer> assignmentSigns = new HashSet<>();
  private final List<SqlMutation> found = new ArrayList<>();
  private final Map<String, Integer> times = new HashMap<>();
  private String target = "";

  private SqlMutations(String sql) {
    this.sql = sql;
    this.tokens = SqlToken.of(sql);
  }

  /** The mutations of a statement in the order of its text. */
  static List<SqlMutation> of(String sql) {
    SqlMutations mutations = new SqlMutations(sql);
    mutations.level(SqlNode.of(mutations.tokens));
    mutations.tokens();
    return List.copyOf(mutations.found);
  }

  /** The clauses between one pair of parentheses, then those inside of the nested ones. */
  private void level(List<SqlNode> nodes) {
    target = targetOf(nodes, target);
    for (int i = 0; i < nodes.size(); i++) {
      clause(nodes, i);
    }
    for (SqlNode node : nodes) {
      if (node instanceof SqlNode.Group group) {
        level(group.nodes());
      }
    }
  }

  private void clause(List<SqlNode> nodes, int i) {
    SqlNode node = nodes.get(i);
    if (node.is("WHERE") || node.is("HAVING")) {
      condition(rest(nodes, i + 1));
    } else if (node.is("ON") && !follows(nodes, i, "CONFLICT") && !follows(nodes, i, "DUPLICATE")) {
      condition(rest(nodes, i + 1));
    } else if (node.is("WHEN")) {
      branch(rest(nodes, i + 1));
    } else if (node.is("SET") || (node.is("UPDATE") && i > 1 && nodes.get(i - 2).is("DUPLICATE"))) {
      assignments(assigned(nodes, i + 1));
    } else if (node.is("ORDER") && follows(nodes, i, "BY")) {
      order(node, rest(nodes, i + 2));
    } else if (node.is("LIMIT")) {
      remove("drop LIMIT", node, last(rest(nodes, i + 1, Set.of("OFFSET"))));
    } else if (node.is("FOR")) {
      lock(nodes.subList(i, nodes.size()));
    } else if (node.is("LOCK") && follows(nodes, i, "IN")) {
      remove("drop lock", node, nodes.get(i + 3));
    } else if (node.is("DISTINCT") && i > 0 && nodes.get(i - 1).is("SELECT")) {
      remove("drop DISTINCT", node, node);
    } else if (node.is("NOTHING") && nodes.get(i - 1).is("DO")) {
      remove("drop ON CONFLICT", conflict(nodes, i), node);
    }
  }

  private static SqlNode conflict(List<SqlNode> nodes, int from) {
    int i = from;
    while (!nodes.get(i).is("ON")) {
      i--;
    }
    return nodes.get(i);
  }

  private void condition(List<SqlNode> nodes) {
    if (!conditionsIn(nodes)) {
      replace("drop predicate", nodes, TRUE);
    }
  }

  /** Of WHEN; that of MERGE has no condition unless AND adds one. */
  private void branch(List<SqlNode> nodes) {
    int matched = matched(nodes);
    if (matched == 0) {
      conditionsIn(nodes);
      replace("take branch", nodes, TRUE);
      replace("skip branch", nodes, FALSE);
    } else if (nodes.size() > matched) {
      branch(nodes.subList(matched + 1, nodes.size()));
    }
  }

  /** How many words of the condition are MATCHED or NOT MATCHED. */
  private static int matched(List<SqlNode> nodes) {
    if (nodes.get(0).is("MATCHED")) {
      return 1;
    }
    return nodes.get(0).is("NOT") && follows(nodes, 0, "MATCHED") ? 2 : 0;
  }

  /** Drops each term of AND and of OR; returns whether there was more than one. */
  private boolean conditionsIn(List<SqlNode> nodes) {
    List<List<SqlNode>> either = split(nodes, "OR");
    boolean several = either.size() > 1;
    for (List<SqlNode> one : either) {
      if (several) {
        replace("drop predicate", one, FALSE);
      }
      List<List<SqlNode>> all = split(one, "AND");
      for (List<SqlNode> term : all) {
        if (all.size() > 1) {
          replace("drop predicate", term, TRUE);
        }
        inner(term);
      }
      several |= all.size() > 1;
    }
    return several;
  }

  private void inner(List<SqlNode> term) {
    List<SqlNode> plain = term.get(0).is("NOT") ? term.subList(1, term.size()) : term;
    if (plain.size() == 1
        && plain.get(0) instanceof SqlNode.Group group
        && group.isParentheses()
        && !group.nodes().get(0).is("SELECT")) {
      conditionsIn(group.nodes());
    }
  }

  private void assignments(List<SqlNode> nodes) {
    List<List<SqlNode>> all = split(nodes, ",");
    for (int i = 0; i < all.size(); i++) {
      List<SqlNode> one = all.get(i);
      assignmentSigns.add(one.get(1).start());
      if (all.size() == 1) {
        String column = text(one.get(0), one.get(0));
        replace("drop assignment", one, column + " = " + target + column);
      } else {
        int start = i == 0 ? one.get(0).start() : last(all.get(i - 1)).end();
        int end = i == 0 ? all.get(1).get(0).start() : last(one).end();
        add("drop assignment", text(one.get(0), last(one)), start, end, "");
      }
    }
  }

  /** An assignment may say IS DISTINCT FROM; the clause FROM ends it. */
  private static List<SqlNode> assigned(List<SqlNode> nodes, int from) {
    int end = from;
    while (end < nodes.size()
        && !isClause(nodes.get(end))
        && !(nodes.get(end).is("FROM") && !nodes.get(end - 1).is("DISTINCT"))) {
      end++;
    }
    return nodes.subList(from, end);
  }

  private void order(SqlNode first, List<SqlNode> nodes) {
    remove("drop ORDER BY", first, last(nodes));
    List<List<SqlNode>> keys = split(nodes, ",");
    for (int i = 0; i < keys.size(); i++) {
      List<SqlNode> key = keys.get(i);
      SqlNode end = last(key);
      String text = text(key.get(0), end);
      if (keys.size() > 1) {
        int from = i == 0 ? key.get(0).start() : last(keys.get(i - 1)).end();
        int to = i == 0 ? keys.get(1).get(0).start() : end.end();
        add("drop ORDER BY key", text, from, to, "");
      }
      if (end.is("DESC")) {
        add("turn order", text, end.start(), end.end(), "ASC");
      } else {
        add("turn order", text, end.end(), end.end(), " DESC");
      }
    }
  }

  /** FOR UPDATE, FOR NO KEY UPDATE, with OF, SKIP LOCKED or NOWAIT behind it. */
  private void lock(List<SqlNode> nodes) {
    SqlNode end = nodes.get(0);
    for (SqlNode node : nodes) {
      if (node.is("LOCKED")) {
        remove("drop SKIP LOCKED", end, node, "SKIP LOCKED");
      } else if (node.is("NOWAIT")) {
        remove("drop NOWAIT", node, node);
      }
      end = node;
    }
    remove("drop lock", nodes.get(0), end);
  }

  /** What the tokens show without their clauses. */
  private void tokens() {
    for (int i = 0; i < tokens.size(); i++) {
      SqlToken token = tokens.get(i);
      switch (token.kind()) {
        case WORD, SYMBOL -> comparison(i);
        case NUMBER -> number(i);
        case STRING -> string(i);
        case PARAMETER -> {}
      }
    }
  }

  private void comparison(int i) {
    SqlToken token = tokens.get(i);
    String word = token.text().toUpperCase(Locale.ROOT);
    if (word.equals("IS")) {
      boolean not = at(i + 1).is("NOT");
      turn(i, token.start(), at(not ? i + 1 : i).end(), not ? "IS" : "IS NOT");
    } else if (word.equals("NOT")) {
      if (!at(i - 1).is("IS") && !at(i + 1).is("MATCHED") && !at(i + 1).is("NULL")) {
        turn(i, token.start(), at(i + 1).start(), "");
      }
    } else if (word.equals("=") && at(i + 1).is("ANY")) {
      turn(i, token.start(), at(i + 1).end(), "<> ALL");
    } else if (turns(i, word)) {
      turn(i, token.start(), token.end(), requireNonNull(TURNED.get(word)));
    }
  }

  private boolean turns(int i, String word) {
    return TURNED.containsKey(word)
        && !assignmentSigns.contains(tokens.get(i).start())
        && !at(i - 1).is("NOT")
        && !at(i - 1).is("LOCK")
        && !at(i - 1).is("ROWS");
  }

  private void number(int i) {
    boolean size = at(i - 1).is("(") && TYPES.contains(at(i - 2).text().toUpperCase(Locale.ROOT));
    boolean unread = at(i - 1).is("SELECT") && at(i + 1).is("FROM");
    boolean counted = at(i - 1).is("THEN") && at(i + 1).is("END");
    if (!size && !unread && !counted) {
      move(i, String.valueOf(Integer.parseInt(tokens.get(i).text()) + 1));
    }
  }

  /** Dates and infinities are bounds beyond everything; a neighbour of theirs bounds the same. */
  private void string(int i) {
    String text = tokens.get(i).text();
    if (text.matches("'1 \\w+'")) {
      move(i, text.replace('1', '2'));
    } else if (!text.matches("'(\\d{4}-.*|-?infinity)'")) {
      move(i, text.substring(0, text.length() - 1) + "~'");
    }
  }

  private void turn(int i, int start, int end, String by) {
    add("turn comparison", around(i) + " -> " + (by.isEmpty() ? "none" : by), start, end, by);
  }

  private void move(int i, String by) {
    SqlToken token = tokens.get(i);
    add("move constant", around(i) + " -> " + by, token.start(), token.end(), by);
  }

  /** A token with its neighbours, by which a reader finds it. */
  private String around(int i) {
    return text(tokens.get(Math.max(0, i - 3)), tokens.get(Math.min(tokens.size() - 1, i + 3)));
  }

  private void remove(String operator, SqlNode first, SqlNode last) {
    remove(operator, first, last, text(first, last));
  }

  private void remove(String operator, SqlNode first, SqlNode last, String fragment) {
    add(operator, fragment, first.start(), last.end(), "");
  }

  private void replace(String operator, List<SqlNode> nodes, String by) {
    SqlNode first = nodes.get(0);
    SqlNode last = last(nodes);
    if (!text(first, last).equals(by)) {
      add(operator, text(first, last), first.start(), last.end(), by);
    }
  }

  private void add(String operator, String fragment, int start, int end, String by) {
    int time = times.merge(operator + fragment, 1, Integer::sum);
    found.add(
        new SqlMutation(
            operator,
            time == 1 ? fragment : fragment + " (" + time + ")",
            sql.substring(0, start) + by + sql.substring(end)));
  }

  private String text(SqlNode first, SqlNode last) {
    return sql.substring(first.start(), last.end()).replaceAll("\\s+", " ");
  }

  private SqlToken at(int i) {
    return i < 0 || i >= tokens.size() ? new SqlToken(Kind.SYMBOL, "", 0, 0) : tokens.get(i);
  }

  /** The name by which an INSERT ... ON CONFLICT calls the row that is there, with a dot. */
  private static String targetOf(List<SqlNode> nodes, String otherwise) {
    for (int i = 0; i + 3 < nodes.size(); i++) {
      if (nodes.get(i).is("INTO") && nodes.get(i + 2).is("AS")) {
        return ((SqlToken) nodes.get(i + 3)).text() + ".";
      }
    }
    return otherwise;
  }

  private static List<SqlNode> rest(List<SqlNode> nodes, int from) {
    return rest(nodes, from, Set.of());
  }

  /** Up to the next clause, except for one of those that belong to this one. */
  private static List<SqlNode> rest(List<SqlNode> nodes, int from, Set<String> included) {
    int end = from;
    while (end < nodes.size()
        && (!isClause(nodes.get(end)) || included.stream().anyMatch(nodes.get(end)::is))) {
      end++;
    }
    return nodes.subList(from, end);
  }

  private static boolean isClause(SqlNode node) {
    return node instanceof SqlToken token
        && CLAUSES.contains(token.text().toUpperCase(Locale.ROOT));
  }

  private static boolean follows(List<SqlNode> nodes, int i, String word) {
    return i + 1 < nodes.size() && nodes.get(i + 1).is(word);
  }

  /** BETWEEN has an AND of its own. */
  private static List<List<SqlNode>> split(List<SqlNode> nodes, String separator) {
    List<List<SqlNode>> parts = new ArrayList<>();
    int from = 0;
    boolean between = false;
    for (int i = 0; i < nodes.size(); i++) {
      SqlNode node = nodes.get(i);
      if (node.is("BETWEEN")) {
        between = true;
      } else if (node.is(separator)) {
        if (!between || !separator.equals("AND")) {
          parts.add(nodes.subList(from, i));
          from = i + 1;
        }
        between = false;
      }
    }
    parts.add(nodes.subList(from, nodes.size()));
    return parts;
  }

  private static SqlNode last(List<SqlNode> nodes) {
    return nodes.get(nodes.size() - 1);
  }
}
