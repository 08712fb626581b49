import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import outbox.jdbc.mutants.ExplainedMutants;
import outbox.jdbc.mutants.MarkedStatements;
import outbox.jdbc.mutants.MutantResults;
import outbox.jdbc.mutants.MutantResults.Outcome;
import outbox.jdbc.mutants.MutantResults.Result;
import outbox.jdbc.mutants.SqlMutant;
import outbox.jdbc.mutants.StatementFile;
import outbox.jdbc.mutants.TestRecord;

/**
 * Runs the tests of one database on each mutant of its SQL statements: {@code SqlMutants ROOT WORK
 * DATABASE [STATEMENT...]}. {@code WORK/front} must be the first entry of the class path: a mutant
 * is a file there, which hides the product's. The results are kept in WORK: after exit code 75,
 * which says that a test did not end, the same command continues where it stopped.
 */
public final class SqlMutants {
  private static final int HUNG = 75;
  private static final long SHORTEST_LIMIT_MS = 10_000;
  private static final long HANG_MS = 60_000;
  private static final int FIRST_TESTS = 6;

  /** How long the tests of a mutant may take in all, unmutated; of an explained one, a tenth. */
  private static final long TESTS_MS = Long.getLong("outbox.mutants.ms", 20_000);

  private static final Map<String, Pattern> TEST_CLASSES =
      Map.of(
          "h2", Pattern.compile("H2(?!Oldest|SpringBoot)\\w+Test"),
          "mariadb", Pattern.compile("(MariaDb\\w+|Version1Times)Test"),
          "postgresql", Pattern.compile("Postgres(?!Oldest|\\w*Routine)\\w+Test"));

  private final Path root;
  private final Path front;
  private final String database;
  private final Set<String> chosen;
  private final MarkedStatements statements = MarkedStatements.install();
  private final Launcher launcher = LauncherFactory.create();
  private final TestRecord tests;
  private final MutantResults results;
  private final ExplainedMutants explained;
  private final Map<String, Map<String, Long>> killers = new HashMap<>();
  private volatile SqlMutant running;
  private volatile long hangsAt = Long.MAX_VALUE;

  private SqlMutants(String[] args) {
    root = Path.of(args[0]);
    Path work = Path.of(args[1]);
    front = work.resolve("front");
    database = args[2];
    chosen = Set.copyOf(List.of(args).subList(3, args.length));
    tests = TestRecord.in(work.resolve("tests.tsv"));
    results = MutantResults.in(work.resolve("results.tsv"));
    explained = ExplainedMutants.of(root);
  }

  public static void main(String[] args) {
    SqlMutants run = new SqlMutants(args);
    run.watchForHangs();
    System.exit(run.run() ? 0 : 1);
  }

  private boolean run() {
    List<StatementFile> files = StatementFile.of(root, database);
    List<SqlMutant> mutants =
        files.stream().flatMap(file -> file.mutants().stream()).filter(this::isChosen).toList();
    if (tests.isEmpty()) {
      record(files);
    }
    for (int i = 0; i < mutants.size(); i++) {
      SqlMutant mutant = mutants.get(i);
      if (results.of(mutant) == null) {
        results.put(mutant, test(mutant));
        show(mutant);
      }
      if ((i + 1) % 100 == 0) {
        System.out.printf(
            "%tT %s: %d of %d%n", System.currentTimeMillis(), database, i + 1, mutants.size());
      }
    }
    return report(mutants);
  }

  private boolean isChosen(SqlMutant mutant) {
    return chosen.isEmpty()
        || chosen.contains(mutant.statement())
        || chosen.contains(mutant.subject())
        || chosen.contains(mutant.file().subject());
  }

  /** Runs the tests unmutated and notes which of them executes which statement. */
  private void record(List<StatementFile> files) {
    files.forEach(file -> write(file, file.marked()));
    LauncherDiscoveryRequestBuilder all = LauncherDiscoveryRequestBuilder.request();
    testClasses().forEach(name -> all.selectors(selectClass(name)));
    launcher.execute(all.build(), new Recorder());
    files.forEach(this::restore);
    tests.save();
    System.out.println(tests);
  }

  private List<String> testClasses() {
    List<String> names = new ArrayList<>();
    for (String module : List.of("outbox-jdbc", "outbox-admin-data")) {
      Path classes = root.resolve(module).resolve("target/test-classes");
      try (Stream<Path> found = Files.walk(classes)) {
        found
            .map(file -> classes.relativize(file).toString().replaceAll("[/\\\\]", "."))
            .filter(name -> name.endsWith(".class"))
            .map(name -> name.substring(0, name.length() - ".class".length()))
            .filter(name -> TEST_CLASSES.get(database).matcher(simple(name)).matches())
            .sorted()
            .forEach(names::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return names;
  }

  private static String simple(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  private Result test(SqlMutant mutant) {
    running = mutant;
    statements.executed();
    statements.refused();
    write(mutant.file(), mutant.fileText());
    try {
      boolean executed = false;
      for (List<String> batch : batches(mutant)) {
        Attempt attempt = new Attempt(mutant.subject(), limit(batch));
        run(batch, attempt);
        executed |= statements.executed().contains(mutant.subject());
        if (attempt.result != null) {
          return attempt.result;
        }
      }
      return new Result(Outcome.SURVIVED, executed ? "" : "no test executes it");
    } finally {
      restore(mutant.file());
    }
  }

  /**
   * Tests that noticed other mutants of the statement in the shortest time first, then the others
   * by class: those whose tests are fast on average first, since others wait in vain for long.
   */
  private Collection<List<String>> batches(SqlMutant mutant) {
    List<String> first =
        killers.getOrDefault(mutant.subject(), Map.of()).entrySet().stream()
            .sorted(Map.Entry.comparingByValue())
            .limit(FIRST_TESTS)
            .map(Map.Entry::getKey)
            .toList();
    List<List<String>> batches = new ArrayList<>(byClass(first));
    List<String> others = new ArrayList<>();
    long left = explained.has(mutant) ? TESTS_MS / 10 : TESTS_MS;
    for (String test : testsOf(mutant)) {
      left -= tests.ms(test);
      if (left > 0 && !first.contains(test)) {
        others.add(test);
      }
    }
    byClass(others).stream().sorted(Comparator.comparingLong(this::mean)).forEach(batches::add);
    return batches;
  }

  /** Those on an upgraded table last: most of them are the same tests once more. */
  private List<String> testsOf(SqlMutant mutant) {
    Map<Boolean, List<String>> all =
        tests.testsOf(mutant.subject()).stream()
            .collect(Collectors.partitioningBy(test -> test.contains("UpgradedStoreTest")));
    return Stream.of(false, true).map(all::get).flatMap(List::stream).toList();
  }

  private long mean(List<String> batch) {
    return batch.stream().mapToLong(tests::ms).sum() / batch.size();
  }

  private static Collection<List<String>> byClass(List<String> some) {
    return some.stream()
        .collect(
            Collectors.groupingBy(SqlMutants::classOf, LinkedHashMap::new, Collectors.toList()))
        .values();
  }

  private long limit(List<String> batch) {
    return Math.max(SHORTEST_LIMIT_MS, 4 * batch.stream().mapToLong(tests::ms).max().orElse(0));
  }

  private void run(List<String> batch, Attempt attempt) {
    LauncherDiscoveryRequestBuilder some = LauncherDiscoveryRequestBuilder.request();
    batch.forEach(test -> some.selectors(selectUniqueId(test)));
    LauncherDiscoveryRequest request =
        some.configurationParameter(
                "junit.jupiter.execution.timeout.testable.method.default", attempt.limit + " ms")
            .build();
    launcher.execute(
        LauncherExecutionRequestBuilder.request(request)
            .listeners(attempt)
            .cancellationToken(attempt.cancellation)
            .build());
    hangsAt = Long.MAX_VALUE;
  }

  private void show(SqlMutant mutant) {
    Result result = results.of(mutant);
    if (result.outcome() == Outcome.SURVIVED && !explained.has(mutant)) {
      System.out.println("SURVIVED " + mutant.name() + " " + result.detail());
    }
  }

  private boolean report(List<SqlMutant> mutants) {
    List<SqlMutant> survivors = results.with(Outcome.SURVIVED, mutants);
    List<SqlMutant> open = survivors.stream().filter(mutant -> !explained.has(mutant)).toList();
    List<String> wrong = new ArrayList<>(explained.withoutMutant(database, survivors));
    if (!chosen.isEmpty()) {
      wrong.removeAll(explained.withoutMutant(database, mutants));
    }
    System.out.println();
    open.forEach(mutant -> System.out.println("SURVIVED " + mutant.name()));
    wrong.forEach(line -> System.out.println("EXPLAINS NO SURVIVOR " + line));
    System.out.printf(
        "%s: %d generated, %d invalid, %d killed, %d explained, %d survived%n",
        database,
        mutants.size(),
        results.with(Outcome.INVALID, mutants).size(),
        results.with(Outcome.KILLED, mutants).size(),
        survivors.size() - open.size(),
        open.size());
    return open.isEmpty() && wrong.isEmpty();
  }

  /** A test that ignores its interruption counts as one that failed; its JVM ends with it. */
  private void watchForHangs() {
    daemon(
        () -> {
          while (System.currentTimeMillis() < hangsAt) {
            Thread.sleep(1_000);
          }
          results.put(running, new Result(Outcome.KILLED, "late: the test did not end"));
          daemon(
              () -> {
                Thread.sleep(30_000);
                Runtime.getRuntime().halt(HUNG);
              });
          System.exit(HUNG);
        });
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private static void daemon(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private void write(StatementFile file, String text) {
    try {
      Path path = front.resolve(file.resource());
      Files.createDirectories(path.getParent());
      Files.writeString(path, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void restore(StatementFile file) {
    try {
      Files.delete(front.resolve(file.resource()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final Pattern CLASS = Pattern.compile(".*?/\\[class(?:-template)?:[^]]*]");
  private static final Pattern TEST =
      Pattern.compile(".*?/\\[(?:method|test-template|test-factory):[^]]*]");

  private static String classOf(String uniqueId) {
    Matcher found = CLASS.matcher(uniqueId);
    return found.lookingAt() ? found.group() : uniqueId;
  }

  /** The id of the test method; of a container of methods, its own. */
  private static String idOf(String uniqueId) {
    Matcher test = TEST.matcher(uniqueId);
    return test.lookingAt() ? test.group() : uniqueId;
  }

  /** Notes what each test executes. */
  private final class Recorder implements TestExecutionListener {
    private final Map<String, Long> began = new HashMap<>();
    private String current = "";

    @Override
    public void executionStarted(TestIdentifier test) {
      switchTo(idOf(test.getUniqueId()));
      began.putIfAbsent(current, System.currentTimeMillis());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult end) {
      String id = idOf(test.getUniqueId());
      if (TEST.matcher(id).matches()) {
        tests.took(id, System.currentTimeMillis() - began.get(id));
      }
      if (end.getStatus() == Status.FAILED) {
        tests.failed(id);
        System.out.println("fails unmutated: " + id + " " + end.getThrowable().orElse(null));
      }
      switchTo(test.getParentId().map(SqlMutants::idOf).orElse(""));
    }

    private void switchTo(String next) {
      tests.executed(current, statements.executed(), statements.refused().keySet());
      current = next;
    }
  }

  /** Ends at the first test that fails. */
  private final class Attempt implements TestExecutionListener {
    private final String statement;
    private final long limit;
    private final CancellationToken cancellation = CancellationToken.create();
    private Result result;
    private long began;

    private Attempt(String statement, long limit) {
      this.statement = statement;
      this.limit = limit;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
      began = System.currentTimeMillis();
      hangsAt = began + limit + HANG_MS;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult end) {
      String id = idOf(test.getUniqueId());
      String refusal = statements.refused().get(statement);
      if (result == null && refusal != null && !tests.isRefused(id, statement)) {
        finish(Outcome.INVALID, refusal);
      } else if (result == null && end.getStatus() == Status.FAILED) {
        String problem = end.getThrowable().map(Object::toString).orElse("");
        finish(
            Outcome.KILLED,
            (problem.contains("timed out after") ? "late: " : "") + id + " " + problem);
        if (TEST.matcher(id).matches()) {
          killers
              .computeIfAbsent(statement, key -> new HashMap<>())
              .merge(id, System.currentTimeMillis() - began, Math::min);
        }
      }
    }

    private void finish(Outcome outcome, String detail) {
      result = new Result(outcome, detail);
      cancellation.cancel();
    }
  }
}
