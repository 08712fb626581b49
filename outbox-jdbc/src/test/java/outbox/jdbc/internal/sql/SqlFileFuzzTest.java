package outbox.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Dice;

/** Whatever statements a file is made of, these are read from it, without its comment lines. */
@Timeout(120)
class SqlFileFuzzTest {
  private static final int RUNS = 1_500;
  private static final List<String> LINES =
      List.of(
          "SELECT a",
          "  FROM b",
          "WHERE c = ';' AND d",
          "e = 'it''s -- no comment'",
          "f::text",
          "g - -1",
          "\th = :h",
          "-1");
  private static final List<String> IGNORED =
      List.of("", "   ", "-- a comment", "  -- name: it isn't", "--", "-- ; in the middle");
  private static final List<String> IN_BODY =
      List.of("BEGIN", "  x := ':y';", "RETURN 'a;';", "END;");

  @Test
  void namedStatementsAreReadAsTheyWereWritten() {
    Dice.check(
        RUNS,
        dice -> {
          Map<String, List<String>> wanted = new LinkedHashMap<>();
          StringBuilder file = new StringBuilder();
          dice.some(3, () -> file.append(dice.one(IGNORED)).append('\n'));
          for (int i = 0; i < 4; i++) {
            List<String> lines = lines(dice);
            String name = "statement_" + i;
            wanted.put(name, lines);
            file.append("-- name: ").append(name).append('\n');
            write(dice, file, lines, dice.one(List.of("\n", ";\n")));
          }

          Map<String, String> read = SqlFile.namedIn(file.toString(), "fuzz.sql");

          assertThat(read.keySet()).as("%s", file).isEqualTo(wanted.keySet());
          wanted.forEach(
              (name, lines) -> assertRead(file, Objects.requireNonNull(read.get(name)), lines));
        });
  }

  @Test
  void aScriptIsCutAtTheSemicolonsThatEndALineOutsideOfBodies() {
    Dice.check(
        RUNS,
        dice -> {
          List<List<String>> wanted = new ArrayList<>();
          StringBuilder file = new StringBuilder();
          for (int i = 0; i < 4; i++) {
            List<String> lines = dice.isOneIn(3) ? body(dice) : lines(dice);
            wanted.add(lines);
            write(dice, file, lines, dice.one(List.of(";\n", ";  \n", ";\n\n")));
          }

          List<String> read = SqlFile.statements(file.toString());

          assertThat(read).as("%s", file).hasSameSizeAs(wanted);
          for (int i = 0; i < wanted.size(); i++) {
            assertRead(file, read.get(i), wanted.get(i));
          }
        });
  }

  private static void assertRead(CharSequence file, String read, List<String> lines) {
    assertThat(Stream.of(read.split("\n", -1)).filter(line -> !line.isBlank()).toList())
        .as("%s", file)
        .isEqualTo(lines);
  }

  /** The first and the last without blanks at their ends, which are not part of a statement. */
  private static List<String> lines(Dice dice) {
    List<String> lines = new ArrayList<>(List.of("SELECT :first"));
    lines.addAll(dice.some(4, () -> dice.one(LINES)));
    return lines;
  }

  private static List<String> body(Dice dice) {
    List<String> lines = new ArrayList<>(List.of("CREATE FUNCTION f() AS $$"));
    lines.addAll(dice.some(4, () -> dice.one(IN_BODY)));
    lines.add("$$ LANGUAGE plpgsql");
    return lines;
  }

  private static void write(Dice dice, StringBuilder file, List<String> lines, String end) {
    for (int i = 0; i < lines.size(); i++) {
      dice.some(2, () -> file.append(dice.one(IGNORED)).append('\n'));
      file.append(lines.get(i)).append(i == lines.size() - 1 ? end : "\n");
    }
  }
}
