package outbox.jdbc.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The mutants that no test can notice, each with its reason. A line of the file is {@code databases
 * | statements | operator | fragment | reason}. Databases and statements are separated by commas; a
 * star stands for any text.
 */
public final class ExplainedMutants {
  private final List<Explanation> explanations = new ArrayList<>();

  /** For one database and one statement of a line. */
  private record Explanation(String database, Pattern key, String text) {
    private boolean explains(SqlMutant mutant) {
      return database.equals(mutant.file().database()) && key.matcher(mutant.key()).matches();
    }
  }

  private ExplainedMutants() {}

  public static ExplainedMutants of(Path root) {
    ExplainedMutants explained = new ExplainedMutants();
    try {
      for (String line : Files.readAllLines(root.resolve("tools/mutants/sql-equivalent.txt"))) {
        if (!line.isBlank() && !line.startsWith("#")) {
          explained.read(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return explained;
  }

  private void read(String line) {
    String[] parts = line.strip().split(" *\\| +", -1);
    if (parts.length != 5 || parts[4].isBlank()) {
      throw new IllegalArgumentException(
          "a line of sql-equivalent.txt must be databases | statements | operator | fragment |"
              + " reason: "
              + line);
    }
    for (String database : parts[0].split(", *", -1)) {
      for (String statement : parts[1].split(", *", -1)) {
        String mutant = statement + " | " + parts[2] + " | " + parts[3];
        explanations.add(new Explanation(database, pattern(mutant), database + " | " + mutant));
      }
    }
  }

  private static Pattern pattern(String key) {
    return Pattern.compile(
        Stream.of(key.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }

  /** Returns whether the file explains this mutant. */
  public boolean has(SqlMutant mutant) {
    return explanations.stream().anyMatch(explanation -> explanation.explains(mutant));
  }

  /** What is explained on this database, but is none of these mutants. */
  public List<String> withoutMutant(String database, List<SqlMutant> mutants) {
    return explanations.stream()
        .filter(explanation -> explanation.database.equals(database))
        .filter(explanation -> mutants.stream().noneMatch(explanation::explains))
        .map(Explanation::text)
        .toList();
  }
}
