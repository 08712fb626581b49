package outbox.jdbc.mutants;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A piece of an SQL text that no mutation divides, and where it stands. */
record SqlToken(Kind kind, String text, int start, int end) implements SqlNode {
  enum Kind {
    WORD,
    NUMBER,
    STRING,
    PARAMETER,
    SYMBOL
  }

  /**
   * In this order: what is skipped (comments, and the braces around optional and repeated parts),
   * strings, quoted names, casts and parameters, words, numbers, symbols. A word may contain names
   * in braces, as in {@code dead_{stored_at}}.
   */
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<skipped>--[^\n]*|/\\*.*?\\*/|\\{if \\w+}|\\{/if}|\\{/?rows})"
              + "|(?<string>'(?:[^']|'')*')"
              + "|(?<quoted>\"[^\"]*\")"
              + "|(?<parameter>:[a-z]\\w*(?:\\.\\.\\.)?)"
              + "|(?<word>(?:[A-Za-z_]|\\{\\w+})(?:[\\w.]|\\{\\w+})*)"
              + "|(?<number>\\d+)"
              + "|(?<symbol><=>|<=|>=|<>|!=|::|\\|\\||[^\\s\\w])",
          Pattern.DOTALL);

  static List<SqlToken> of(String sql) {
    List<SqlToken> tokens = new ArrayList<>();
    Matcher found = TOKEN.matcher(sql);
    while (found.find()) {
      if (found.group("skipped") == null) {
        tokens.add(new SqlToken(kind(found), found.group(), found.start(), found.end()));
      }
    }
    return tokens;
  }

  private static Kind kind(Matcher found) {
    if (found.group("string") != null) {
      return Kind.STRING;
    } else if (found.group("parameter") != null) {
      return Kind.PARAMETER;
    } else if (found.group("number") != null) {
      return Kind.NUMBER;
    }
    return found.group("symbol") == null ? Kind.WORD : Kind.SYMBOL;
  }

  @Override
  public boolean is(String word) {
    return text.equalsIgnoreCase(word);
  }
}
