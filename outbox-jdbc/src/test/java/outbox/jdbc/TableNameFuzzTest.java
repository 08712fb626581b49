package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Dice;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.JoinTables;

/** What can stand in a statement as the name of a table, and nothing else, is one. */
@Timeout(120)
class TableNameFuzzTest {
  private static final int RUNS = 5_000;
  private static final String FIRST = "abcxyzABCXYZ_";
  private static final String LATER = FIRST + "0123456789";

  private static final List<Consumer<String>> ENTRIES =
      List.of(
          TableName::of,
          JoinTables::of,
          name -> JdbcOutboxRepository.builder().tableName(name),
          name -> new JdbcJoinStore().tableName(name),
          name -> new JdbcJoinStore().joinTableName(name),
          JdbcInboxStore::onTable);

  @Test
  void everythingThatIsDocumentedAsAllowedPasses() {
    Dice.check(
        RUNS,
        dice -> {
          String name = name(dice, 55);
          String whole = dice.isOneIn(2) ? name : name(dice, 63) + "." + name;

          assertThat(TableName.of(whole)).hasToString(whole);
          assertThat(TableName.of(whole).name()).isEqualTo(name);
          ENTRIES.forEach(entry -> entry.accept(whole));
        });
  }

  @Test
  void whateverPassesIsOneOrTwoPlainNames() {
    Dice.check(
        RUNS,
        dice -> {
          StringBuilder damaged = new StringBuilder(dice.isOneIn(8) ? "" : valid(dice));
          for (int changes = 1 + dice.number(2); changes > 0; changes--) {
            int from = dice.number(damaged.length() + 1);
            int to = Math.min(damaged.length(), from + dice.number(2));
            damaged.replace(from, to, dice.isOneIn(6) ? name(dice, 63) : dice.character());
          }
          String text = damaged.toString();

          if (isPlain(text)) {
            assertThat(TableName.of(text)).hasToString(text);
          } else {
            ENTRIES.forEach(
                entry ->
                    assertThatThrownBy(() -> entry.accept(text))
                        .as(text)
                        .isInstanceOf(IllegalArgumentException.class));
          }
        });
  }

  private static String valid(Dice dice) {
    return dice.one(List.of("outbox_event", "app.outbox_event", "_1", "x" + "y".repeat(54)));
  }

  private static String name(Dice dice, int longest) {
    StringBuilder name = new StringBuilder().append(FIRST.charAt(dice.number(FIRST.length())));
    for (int more = dice.number(longest); more > 0; more--) {
      name.append(LATER.charAt(dice.number(LATER.length())));
    }
    return name.toString();
  }

  private static boolean isPlain(String text) {
    int dot = text.indexOf('.');
    return isName(text.substring(dot + 1), 55) && (dot < 0 || isName(text.substring(0, dot), 63));
  }

  private static boolean isName(String text, int longest) {
    return !text.isEmpty()
        && text.length() <= longest
        && !Character.isDigit(text.charAt(0))
        && text.chars().allMatch(c -> c == '_' || (c < 128 && Character.isLetterOrDigit(c)));
  }
}
