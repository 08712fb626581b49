package outbox.spring.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The defaults of properties as the page about Spring says them, or that about the engine. */
final class PropertyPages {
  private static final Map<String, String> SPRING = spring();
  private static final String DISPATCHER = "outbox.dispatcher.";

  private PropertyPages() {}

  static boolean isOnSpringsPage(String property) {
    return SPRING.containsKey(property);
  }

  static String defaultOf(String property) {
    String found = SPRING.get(property);
    return found == null ? ofEngine(property) : found;
  }

  private static Map<String, String> spring() {
    Map<String, String> defaults = new HashMap<>();
    cells("spring.md")
        .filter(row -> row.get(0).startsWith("`outbox."))
        .forEach(row -> add(row.get(0), row.get(1), defaults));
    return defaults;
  }

  /** A row may have several properties of a group, each with its default or all with the same. */
  private static void add(String properties, String value, Map<String, String> defaults) {
    String[] names = properties.replaceAll("`|\\.[A-Z]+", "").split(", ", -1);
    String[] values = value.split(", ", -1);
    String group = names[0].substring(0, names[0].lastIndexOf('.') + 1);
    for (int i = 0; i < names.length; i++) {
      defaults.put(names[i].replace("…", group), values.length == names.length ? values[i] : value);
    }
  }

  /** By the name of the engine's own setting. */
  private static String ofEngine(String property) {
    String name =
        Pattern.compile("-(.)")
            .matcher(property.substring(DISPATCHER.length()))
            .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
    String cell = "`" + name.replaceFirst("QueueSize$", "QueueBytes") + "`";
    return cells("configuration.md")
        .filter(row -> row.get(0).equals(cell))
        .map(row -> row.get(2))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no page has the default of " + property));
  }

  private static Stream<List<String>> cells(String page) {
    try {
      return Files.readAllLines(Path.of("../docs", page)).stream()
          .filter(line -> line.startsWith("| `"))
          .map(line -> line.substring(1, line.length() - 1))
          .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
