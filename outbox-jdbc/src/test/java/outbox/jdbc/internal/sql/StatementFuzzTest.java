package outbox.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Dice;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;

/**
 * Statements of literals, comments, casts, lists, rows and conditions in any order, run by H2: what
 * each column is to hold is known, so a question mark too few or too many, a value in the wrong
 * place and a changed literal all show.
 */
@Timeout(120)
class StatementFuzzTest {
  private static final int RUNS = 300;

  @Test
  void eachValueArrivesInItsPlaceAndAllElseIsLeftAlone() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
      Dice.check(RUNS, dice -> new Written(dice, Dialects.of(connection)).checkOn(connection));
    }
  }

  /** A statement while it is written, with its parameters and what its columns are to hold. */
  private static final class Written {
    private static final List<String> NOISE =
        List.of(
            "'",
            "\"",
            ":p1",
            ":list...",
            "::text",
            "?",
            "{rows}",
            "{/rows}",
            "--",
            "#",
            "$1",
            "\\",
            "é",
            " ",
            "a",
            "{",
            "}",
            ";");

    private final Dice dice;
    private final Parameters parameters;
    private final Dialect dialect;
    private final StringBuilder text = new StringBuilder("SELECT 0");
    private final List<String> wanted = new ArrayList<>();
    private int names;
    private boolean hasRows;

    Written(Dice dice, Dialect dialect) {
      this.dice = dice;
      this.dialect = dialect;
      this.parameters = new Parameters(dialect);
      for (int columns = dice.number(7); columns > 0; columns--) {
        text.append(dice.isOneIn(3) ? comment() : "");
        if (dice.isOneIn(3)) {
          condition();
        } else {
          text.append(", ").append(column(true));
        }
      }
    }

    private String comment() {
      String noise = dice.text(5, NOISE);
      return dice.isOneIn(2) ? "/* " + noise + " */" : " -- " + noise + "\n";
    }

    private void condition() {
      boolean given = dice.isOneIn(2);
      String name = name();
      if (dice.isOneIn(2)) {
        parameters.flag(name, given);
      } else {
        parameters.text(name, given ? "x" : null);
      }
      text.append("{if ").append(name).append("}, ").append(column(given)).append("{/if}");
    }

    private String column(boolean given) {
      int before = wanted.size();
      String sql =
          switch (dice.number(hasRows ? 4 : 5)) {
            case 0 -> literal();
            case 1 -> "CAST(" + parameter() + " AS VARCHAR)";
            case 2 -> parameter() + "::VARCHAR";
            case 3 -> list();
            default -> rows();
          };
      if (!given) {
        wanted.subList(before, wanted.size()).clear();
      }
      return sql;
    }

    private String literal() {
      String noise = dice.text(6, NOISE);
      wanted.add(noise);
      return "'" + noise.replace("'", "''") + "'";
    }

    private String parameter() {
      String name = name();
      String value = dice.text(5);
      parameters.text(name, value);
      wanted.add(value);
      return ":" + name;
    }

    private String list() {
      String name = name();
      List<String> elements = new ArrayList<>(List.of("a"));
      elements.addAll(dice.some(5, () -> dice.one(List.of("b", "c", "d", "?"))));
      parameters.list(name, elements);
      String asked = dice.one(List.of("a", "c", "?", "z"));
      wanted.add(String.valueOf(elements.contains(asked)).toUpperCase(Locale.ROOT));
      return "CAST('" + asked + "' IN (:" + name + "...) AS VARCHAR)";
    }

    private String rows() {
      hasRows = true;
      List<String> values = new ArrayList<>(List.of("first"));
      values.addAll(dice.some(4, () -> dice.text(3)));
      List<Parameters> rows = new ArrayList<>();
      for (String value : values) {
        rows.add(new Parameters(dialect).number("n", rows.size()).text("v", value));
      }
      parameters.rows(rows);
      wanted.add(values.stream().map(value -> ":n" + value).collect(Collectors.joining("|")));
      return "(SELECT LISTAGG(':n' || v, '|') WITHIN GROUP (ORDER BY n) FROM (VALUES {rows}"
          + "(CAST(:n AS INT), :v::VARCHAR){/rows}) r(n, v))";
    }

    private String name() {
      return "p" + names++;
    }

    void checkOn(Connection connection) throws SQLException {
      NamedStatement shape = new ShapedStatement(text.toString()).of(parameters);
      try (PreparedStatement statement = connection.prepareStatement(shape.sql(parameters))) {
        shape.bind(statement, parameters);
        try (ResultSet row = statement.executeQuery()) {
          assertThat(row.next()).isTrue();
          List<String> read = new ArrayList<>();
          for (int i = 2; i <= row.getMetaData().getColumnCount(); i++) {
            read.add(row.getString(i));
          }
          assertThat(read).isEqualTo(wanted);
        }
      } catch (SQLException e) {
        throw new AssertionError(e.getMessage() + " by " + text, e);
      }
    }
  }
}
