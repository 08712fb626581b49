package outbox.jdbc.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of the mutants of a database; each result is on disk as soon as it is known. */
public final class MutantResults {
  /** What became of one. */
  public enum Outcome {
    KILLED,
    SURVIVED,
    /** The database refuses it. */
    INVALID
  }

  /**
   * An outcome and what led to it.
   *
   * @param detail the test that noticed, or why the database refuses it
   */
  public record Result(Outcome outcome, String detail) {}

  private final Path file;
  private final Map<String, Result> results = new HashMap<>();

  private MutantResults(Path file) {
    this.file = file;
  }

  /** Those in the file, if there is one. */
  public static MutantResults in(Path file) {
    MutantResults results = new MutantResults(file);
    try {
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file)) {
          String[] parts = line.split("\t", -1);
          results.results.put(parts[0], new Result(Outcome.valueOf(parts[1]), parts[2]));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return results;
  }

  public @Nullable Result of(SqlMutant mutant) {
    return results.get(mutant.key());
  }

  public void put(SqlMutant mutant, Result result) {
    results.put(mutant.key(), result);
    String detail = result.detail.replaceAll("\\s+", " ");
    String line = mutant.key() + "\t" + result.outcome + "\t" + detail + "\n";
    try {
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Those of the mutants with this outcome. */
  public List<SqlMutant> with(Outcome outcome, List<SqlMutant> mutants) {
    return mutants.stream()
        .filter(
            mutant -> {
              Result result = of(mutant);
              return result != null && result.outcome == outcome;
            })
        .toList();
  }
}
