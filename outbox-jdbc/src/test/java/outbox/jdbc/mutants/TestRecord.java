package outbox.jdbc.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which test executes which statements unmutated, and how long it takes. Tests and their containers
 * are named by their unique ids.
 */
public final class TestRecord {
  private static final String EXECUTES = "executes";
  private static final String REFUSED = "is refused";
  private static final String FAILS = "fails";
  private static final String TAKES = "takes";

  private final Path file;
  private final Map<String, Long> ms = new LinkedHashMap<>();
  private final Map<String, Set<String>> executed = new HashMap<>();
  private final Map<String, Set<String>> refused = new HashMap<>();
  private final Set<String> failed = new HashSet<>();

  private TestRecord(Path file) {
    this.file = file;
  }

  /** What was saved in the file; empty if there is none. */
  public static TestRecord in(Path file) {
    TestRecord tests = new TestRecord(file);
    try {
      if (Files.exists(file)) {
        Files.readAllLines(file).forEach(tests::read);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tests;
  }

  public boolean isEmpty() {
    return ms.isEmpty();
  }

  /** Notes what a test, or its container outside of all tests, executed. */
  public void executed(String id, Set<String> statements, Set<String> refusedOnes) {
    executed.computeIfAbsent(id, key -> new HashSet<>()).addAll(statements);
    refused.computeIfAbsent(id, key -> new HashSet<>()).addAll(refusedOnes);
  }

  /** Notes the end of a test. */
  public void took(String test, long millis) {
    ms.put(test, millis);
  }

  /** A test that fails unmutated tells nothing about a mutant. */
  public void failed(String test) {
    failed.add(test);
  }

  /**
   * Those that execute the statement, or whose class does so for all its tests; fast ones first.
   */
  public List<String> testsOf(String statement) {
    return ms.keySet().stream()
        .filter(test -> !failed.contains(test))
        .filter(test -> executes(test, statement))
        .sorted(Comparator.comparingLong(this::ms))
        .toList();
  }

  /** The test itself or one of the containers that it is in. */
  private boolean executes(String test, String statement) {
    for (int end = test.length(); end > 0; end = test.lastIndexOf("/[", end - 1)) {
      if (executed.getOrDefault(test.substring(0, end), Set.of()).contains(statement)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the database refuses the statement in this test unmutated too. */
  public boolean isRefused(String test, String statement) {
    return refused.getOrDefault(test, Set.of()).contains(statement);
  }

  public long ms(String test) {
    return ms.getOrDefault(test, 0L);
  }

  public void save() {
    List<String> lines = new ArrayList<>();
    executed.forEach((id, names) -> names.forEach(name -> lines.add(line(id, EXECUTES, name))));
    refused.forEach((id, names) -> names.forEach(name -> lines.add(line(id, REFUSED, name))));
    failed.forEach(id -> lines.add(line(id, FAILS, "")));
    ms.forEach((id, millis) -> lines.add(line(id, TAKES, String.valueOf(millis))));
    try {
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(String id, String what, String value) {
    return id + "\t" + what + "\t" + value;
  }

  private void read(String line) {
    String[] parts = line.split("\t", -1);
    switch (parts[1]) {
      case EXECUTES -> executed(parts[0], Set.of(parts[2]), Set.of());
      case REFUSED -> executed(parts[0], Set.of(), Set.of(parts[2]));
      case FAILS -> failed(parts[0]);
      default -> took(parts[0], Long.parseLong(parts[2]));
    }
  }

  @Override
  public String toString() {
    long seconds = ms.values().stream().mapToLong(Long::longValue).sum() / 1_000;
    return ms.size() + " tests in " + seconds + " s, " + failed.size() + " of them not used";
  }
}
