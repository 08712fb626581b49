package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.admin.AdminOptions.Row;
import outbox.admin.data.OperatedDatabase;

/** Each option has an effect that can be seen from outside, and the default that the page says. */
@Tag("slow")
class AdminOptionsTest {

  static Stream<Row> rows() {
    return Stream.concat(AdminOptions.rows().stream(), DatabaseOptions.rows().stream());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void hasItsDefaultUntilItIsSetAndThenItsEffect(Row row) throws Exception {
    assertThat(row.experiment().see(false)).as("without " + row).isEqualTo(row.usual());
    assertThat(row.experiment().see(true)).as("with " + row).isEqualTo(row.other());
  }

  @Test
  void everyOptionHasARowAndEveryRowIsOfAnOption() {
    assertThat(AdminOptions.rows())
        .extracting(Row::option)
        .containsExactlyInAnyOrderElementsOf(options(AdminConfig.Builder.class));
    assertThat(DatabaseOptions.rows())
        .extracting(Row::option)
        .containsExactlyInAnyOrderElementsOf(options(OperatedDatabase.Builder.class));
  }

  private static List<String> options(Class<?> builder) {
    return Stream.of(builder.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !method.getName().equals("build"))
        .map(AdminOptionsTest::signature)
        .toList();
  }

  private static String signature(Method method) {
    return method.getName()
        + Stream.of(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void thePageSaysTheDefault(Row row) throws IOException {
    String option = "`" + row.option().substring(0, row.option().indexOf('('));
    List<String> cells =
        Files.readAllLines(Path.of("../docs/admin.md")).stream()
            .filter(line -> line.startsWith("| `") && line.contains(option + "("))
            .findFirst()
            .map(line -> List.of(line.split("\\|", -1)))
            .orElseThrow(() -> new AssertionError("the page has no option " + option));
    assertThat(defaultOf(option, cells.get(1).strip(), cells.get(2).strip()))
        .isEqualTo(row.documented());
  }

  /** A row may have several options, each with its default or all with the same. */
  private static String defaultOf(String option, String options, String value) {
    List<String> names = List.of(options.split("(?<=\\)`), ", -1));
    List<String> values = List.of(value.split(", ", -1));
    int index = names.indexOf(names.stream().filter(it -> it.startsWith(option)).findFirst().get());
    return values.size() == names.size() ? values.get(index) : value;
  }
}
