package outbox.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.watch.TransactionHabits.H2;
import static outbox.internal.watch.TransactionHabits.MARIADB_OR_MYSQL;
import static outbox.internal.watch.TransactionHabits.POSTGRESQL;
import static outbox.internal.watch.TransactionHabits.UNKNOWN;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.contracts.support.Dice;

/** Texts made of parts whose meaning is known, so that no second parser is needed. */
@Timeout(120)
class ControlTextFuzzTest {
  private static final int RUNS = 3_000;
  private static final List<String> CONTROLS =
      List.of(
          "COMMIT",
          "rollback",
          "Begin",
          "SAVEPOINT a",
          "RELEASE a",
          "XA END 'a'",
          "SET autocommit = 0");

  @ParameterizedTest
  @EnumSource
  void controlInsideALiteralANameOrACommentDoesNotCount(TransactionHabits database) {
    Dice.check(
        RUNS,
        dice -> {
          String sql = String.join(" ", new Parts(dice, database).statements());
          assertThat(ControlText.isIn(sql, () -> database)).as(sql).isFalse();
        });
  }

  @ParameterizedTest
  @EnumSource
  void controlOutsideOfThemAlwaysCounts(TransactionHabits database) {
    Dice.check(
        RUNS,
        dice -> {
          Parts parts = new Parts(dice, database);
          List<String> all = parts.statements();
          all.add(dice.number(all.size()) + 1, ";" + parts.blanks() + dice.one(CONTROLS) + ";");
          String sql = String.join(" ", all);
          assertThat(ControlText.isIn(sql, () -> database)).as(sql).isTrue();
        });
  }

  /** Writes the SQL of one database. */
  private record Parts(Dice dice, TransactionHabits database) {
    private static final List<String> NOISE =
        List.of(
            "'",
            "\"",
            "`",
            "[",
            "]",
            "$$",
            "$1",
            ";",
            "; COMMIT;",
            ";ROLLBACK",
            "--",
            "#",
            "//",
            "/ ",
            "* ",
            "\\",
            "(",
            "é",
            "a",
            " ",
            "\n",
            "\r");

    /** The first of them begins a statement that controls nothing. */
    List<String> statements() {
      List<String> parts = new ArrayList<>(List.of("SELECT 1"));
      parts.addAll(dice.some(8, this::part));
      return parts;
    }

    private String part() {
      return switch (dice.number(7)) {
        case 0 -> quoted('\'', '\'', database == MARIADB_OR_MYSQL);
        case 1 -> quoted('"', '"', database == MARIADB_OR_MYSQL);
        case 2 -> quoted('`', '`', false);
        case 3 -> special();
        case 4 -> comment();
        case 5 -> "; SELECT 2";
        default -> dice.one(List.of(", a", "= 5 - 3", "(b)", "/ 2", "* 2", "a$1", "COMMIT"));
      };
    }

    private String special() {
      if (database == POSTGRESQL) {
        return switch (dice.number(3)) {
          case 0 -> "E" + quoted('\'', '\'', true);
          case 1 -> "$$" + without("$") + "$$";
          default -> "$a_1$" + without("$a_1$") + "$a_1$";
        };
      }
      if (database == H2) {
        return "$$" + without("$") + "$$";
      }
      return database == UNKNOWN ? quoted('[', ']', false) : "a--1";
    }

    private String quoted(char open, char close, boolean backslashEscapes) {
      String end = String.valueOf(close);
      String escape = backslashEscapes ? dice.one(List.of("\\\\", "\\" + end)) : "\\";
      StringBuilder text = new StringBuilder().append(open);
      for (String piece : dice.some(5, () -> dice.one(NOISE))) {
        text.append(piece.equals("\\") ? escape : piece.replace(end, end + end));
      }
      return text.append(close).toString();
    }

    String blanks() {
      return String.join("", dice.some(3, () -> dice.isOneIn(2) ? comment() : "\n ("));
    }

    private String comment() {
      boolean block = dice.isOneIn(2);
      if (database == MARIADB_OR_MYSQL) {
        return block
            ? "/* " + noise() + dice.one(List.of("", "/*")) + " */"
            : dice.one(List.of("#", "-- ")) + without("\n") + "\n";
      }
      return block ? nested(3) : line();
    }

    private String line() {
      String begin = database == H2 ? dice.one(List.of("--", "//")) : "--";
      boolean endsByReturn = database == POSTGRESQL || database == H2;
      return begin
          + without("\n").replace("\r", " ")
          + (endsByReturn ? dice.one(List.of("\n", "\r")) : "\n");
    }

    /** Two slashes before an asterisk would begin one more. */
    private String nested(int depth) {
      List<String> inside =
          dice.some(
              4,
              () ->
                  depth > 0 && dice.isOneIn(3)
                      ? nested(depth - 1)
                      : dice.one(NOISE).replace("//", "/ "));
      return "/*" + String.join("", inside) + "*/";
    }

    private String without(String end) {
      return noise().replace(end, "");
    }

    private String noise() {
      return dice.text(5, NOISE);
    }
  }
}
