package outbox.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Each option has an effect that can be seen from outside, and the default that the pages say. */
@Tag("slow")
class CommandOptionsTest {

  static List<OptionRow> rows() {
    List<OptionRow> rows = new ArrayList<>(QueueOptionRows.rows());
    rows.addAll(ActionOptionRows.looks());
    rows.addAll(ActionOptionRows.actions());
    rows.addAll(ServeOptionRows.rows());
    rows.addAll(SchemaOptionRows.rows());
    return rows;
  }

  @ParameterizedTest
  @MethodSource("rows")
  void hasItsDefaultUntilItIsGivenAndThenItsEffect(OptionRow row) throws Exception {
    if (row.usual() != null) {
      assertThat(row.experiment().see(false)).as("without " + row).isEqualTo(row.usual());
    }
    assertThat(row.experiment().see(true)).as("with " + row).isEqualTo(row.other());
  }

  @Test
  void everyOptionHasARowAndEveryRowIsOfAnOption() {
    assertThat(rows().stream().map(OptionRow::option).distinct())
        .containsExactlyInAnyOrderElementsOf(options().keySet());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void thePagesSayTheDefault(OptionRow row) throws IOException {
    assertThat(standard(requireNonNull(options().get(row.option())))).isEqualTo(row.standard());
    assertThat(pages()).contains(row.documented());
    assertThat(row.documented()).contains(row.option().replaceFirst(".* ", ""));
    if (!row.standard().startsWith("${")) {
      assertThat(row.documented().toLowerCase(Locale.ROOT))
          .contains(row.standard().toLowerCase(Locale.ROOT));
    }
  }

  /** As it is declared: the specification has the variables filled in. */
  private static String standard(OptionSpec option) {
    String declared = ((Field) option.userObject()).getAnnotation(Option.class).defaultValue();
    return declared.equals("__no_default_value__") ? "" : declared;
  }

  /** Every run of white space a single space. */
  private static String pages() throws IOException {
    return (Files.readString(Path.of("../docs/cli.md"))
            + Files.readString(Path.of("../docs/upgrade.md")))
        .replaceAll("\\s+", " ");
  }

  /** By the class that declares them: some commands share theirs. Those of picocli are its own. */
  private static Map<String, OptionSpec> options() {
    return commands(Main.commandLine(FakeTerminal.none()).getCommandSpec())
        .flatMap(command -> command.options().stream())
        .filter(option -> declaring(option).getPackage() == Main.class.getPackage())
        .collect(
            Collectors.toMap(
                option -> declaring(option).getSimpleName() + " " + option.longestName(),
                option -> option,
                (one, other) -> one,
                TreeMap::new));
  }

  private static Class<?> declaring(OptionSpec option) {
    return ((Field) option.userObject()).getDeclaringClass();
  }

  private static Stream<CommandSpec> commands(CommandSpec command) {
    return Stream.concat(
        Stream.of(command),
        command.subcommands().values().stream().flatMap(below -> commands(below.getCommandSpec())));
  }
}
