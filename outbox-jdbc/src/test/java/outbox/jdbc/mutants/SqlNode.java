package outbox.jdbc.mutants;

import java.util.ArrayList;
import java.util.List;

/** A token, or what stands between parentheses or between CASE and END. */
sealed interface SqlNode permits SqlToken, SqlNode.Group {
  int start();

  int end();

  /** Returns whether it is this keyword or symbol, in any case. */
  boolean is(String word);

  /** The tokens on each side belong to it; its nodes are what they enclose. */
  record Group(SqlToken open, List<SqlNode> nodes, SqlToken close) implements SqlNode {
    @Override
    public int start() {
      return open.start();
    }

    @Override
    public int end() {
      return close.end();
    }

    @Override
    public boolean is(String word) {
      return false;
    }

    boolean isParentheses() {
      return open.is("(");
    }
  }

  /** The nodes of a whole statement. */
  static List<SqlNode> of(List<SqlToken> tokens) {
    List<SqlNode> nodes = new ArrayList<>();
    int end = read(tokens, 0, nodes);
    if (end < tokens.size()) {
      throw new IllegalArgumentException("unbalanced: " + tokens.get(end));
    }
    return nodes;
  }

  private static int read(List<SqlToken> tokens, int from, List<SqlNode> nodes) {
    int i = from;
    while (i < tokens.size()) {
      SqlToken token = tokens.get(i);
      if (token.is(")") || token.is("END")) {
        return i;
      }
      i++;
      if (token.is("(") || token.is("CASE")) {
        List<SqlNode> inner = new ArrayList<>();
        i = read(tokens, i, inner);
        if (i == tokens.size()) {
          throw new IllegalArgumentException("unbalanced: " + token);
        }
        nodes.add(new Group(token, inner, tokens.get(i++)));
      } else {
        nodes.add(token);
      }
    }
    return i;
  }
}
