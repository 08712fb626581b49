package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/** Texts, tables and numbers as people see them. */
class TextTest {
  @Test
  void textIsCutByColumnsWithAnEllipsis() {
    assertThat(Columns.cut("timeout", 7)).isEqualTo("timeout");
    assertThat(Columns.cut("timeout after", 8)).isEqualTo("timeout…");
    assertThat(Columns.cut("timeout", 4)).isEqualTo("tim…");
    assertThat(Columns.cut("注文注文", 5)).isEqualTo("注文…");
    assertThat(Columns.of("注文é")).isEqualTo(5);
  }

  @Test
  void theWidestFlexibleColumnGivesWayFirst() {
    Table table = new Table().column("ID").flexible("TOPIC", 5).optional("ERROR", 5);
    table.row("0123456789", "a-long-topic", "a very long error indeed");
    assertThat(lines(table, 60).get(1))
        .isEqualTo("0123456789  a-long-topic  a very long error indeed");
    assertThat(lines(table, 40).get(1)).isEqualTo("0123456789  a-long-topic  a very long e…");
    assertThat(lines(table, 26).get(1)).isEqualTo("0123456789  a-lon…  a ver…");
    assertThat(lines(table, 20).get(1)).isEqualTo("0123456789  a-long-…");
    assertThat(lines(table, 5).get(1)).isEqualTo("0123456789  a-lo…");
  }

  @Test
  void aColumnWithoutContentIsNotShown() {
    Table table = new Table().column("ID").column("TENANT").number("TRIES");
    table.row("1", "", "12");
    assertThat(lines(table, 80)).containsExactly("ID  TRIES", "1      12");
  }

  private static List<String> lines(Table table, int columns) {
    return table.lines(new Screen(new PrintWriter(new StringWriter()), columns, false));
  }

  @Test
  void agesHaveTheirTwoLargestUnits() {
    assertThat(Shown.age(Duration.ofMillis(12))).isEqualTo("12ms");
    assertThat(Shown.age(Duration.ofSeconds(59))).isEqualTo("59s");
    assertThat(Shown.age(Duration.ofSeconds(192))).isEqualTo("3m 12s");
    assertThat(Shown.age(Duration.ofMinutes(125))).isEqualTo("2h 5m");
    assertThat(Shown.age(Duration.ofHours(49))).isEqualTo("2d 1h");
    assertThat(Shown.age(Duration.ofDays(7))).isEqualTo("7d");
  }

  @Test
  void durationsAreReadAsPeopleTypeThem() {
    assertThat(Times.duration("90s")).isEqualTo(Duration.ofSeconds(90));
    assertThat(Times.duration("7D")).isEqualTo(Duration.ofDays(7));
    assertThat(Times.duration("PT1H30M")).isEqualTo(Duration.ofMinutes(90));
    for (String wrong :
        List.of("", "7", "-1h", "-PT1H", "1 h", "99999999999d", "36501d", "PT876001H")) {
      assertThatThrownBy(() -> Times.duration(wrong)).isInstanceOf(TypeConversionException.class);
    }
  }

  @Test
  void theBarGivesWayToTheNumbers() {
    ProgressText text = new ProgressText("replay", 10_000, "waiting for workers");
    Duration elapsed = Duration.ofSeconds(2);
    assertThat(text.bar(4_500, elapsed, false, 80))
        .isEqualTo(
            "replay  █████████████░░░░░░░░░░░░░░░░░  4,500 of 10,000 (45%)  2,250/s  3s left");
    assertThat(text.bar(4_500, elapsed, true, 80))
        .startsWith("replay  ████")
        .endsWith("waiting for workers")
        .satisfies(bar -> assertThat(Columns.of(bar)).isLessThanOrEqualTo(80));
    assertThat(text.bar(4_500, elapsed, false, 40))
        .isEqualTo("replay  4,500 of 10,000 (45%)  2,250/s…");
    assertThat(new ProgressText("purge", 0, "").bar(500, elapsed, false, 80))
        .isEqualTo("purge  500  250/s");
  }
}
