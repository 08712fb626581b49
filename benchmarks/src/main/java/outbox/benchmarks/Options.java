package outbox.benchmarks;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The command line. */
record Options(
    Database database, Mode mode, @Nullable String only, boolean gates, boolean help, Path output) {
  static final String HELP =
      """
      Usage: bench [--quick | --smoke] [--only SCENARIO] [--database DATABASE]
                   [--no-gates] [--output FOLDER]

        (nothing)        the full run, about half an hour
        --quick          a few minutes, smaller tables and fewer rounds
        --smoke          about a minute, proves that everything runs; no gates
        --only SCENARIO  one of: %s
        --database DATABASE
                         postgresql (the default), mariadb or mysql; the latter two have the
                         scenarios end-to-end, latency and drain
        --no-gates       exit with 0 even if a gate fails
        --output FOLDER  where results.md and results.svg go (bench-results)

      The virtual-thread scenario needs JDK 21 or newer: run with one, or set OUTBOX_JDK21_HOME.
      """;

  static Options parse(String[] args) {
    Database database = Database.POSTGRESQL;
    Mode mode = Mode.FULL;
    String only = null;
    boolean gates = true;
    boolean help = false;
    Path output = Path.of("bench-results");
    Iterator<String> words = List.of(args).iterator();
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "--quick" -> mode = Mode.QUICK;
        case "--smoke" -> mode = Mode.SMOKE;
        case "--no-gates" -> gates = false;
        case "--help", "-h" -> help = true;
        case "--database" -> database = Database.of(value(word, words));
        case "--only" -> only = value(word, words);
        case "--output" -> output = Path.of(value(word, words));
        default -> throw new IllegalArgumentException("unknown option " + word + "; see --help");
      }
    }
    return new Options(database, mode, only, gates && mode != Mode.SMOKE, help, output);
  }

  private static String value(String option, Iterator<String> words) {
    if (!words.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value; see --help");
    }
    return words.next();
  }
}
