import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes docs/project/traceability.md from docs/project/requirements.md and from what passed in the
 * last test run ({@code <module>/target/spec-results.tsv}: requirement, test class, test method,
 * databases).
 *
 * <p>Run as {@code java tools/Traceability.java <root>}. Ends with status 1 if a test names an
 * unknown requirement, or if a requirement has no test.
 */
public final class Traceability {
  private static final Pattern REQUIREMENT =
      Pattern.compile("^\\| (([A-Z]+)-\\d+) \\| (.+) \\| ([^|]+) \\|$");

  private static final Pattern ROW_WITH_ID = Pattern.compile("^\\|\\s*[A-Z]+-\\d+");

  private static final List<String> DATABASES = List.of("PostgreSQL", "MariaDB", "H2");

  /** Those that not every machine has: the table must not depend on them. */
  private static final Set<String> OPTIONAL = Set.of("MySQL", "SQL Server");

  private record Requirement(String id, String family, String text, String level) {}

  private record Result(String id, String testClass, String method, List<String> databases) {}

  private final Map<String, Requirement> requirements;
  private final Map<String, List<Result>> results;

  private Traceability(List<Requirement> requirements, List<Result> results) {
    this.requirements = new LinkedHashMap<>();
    requirements.forEach(requirement -> this.requirements.put(requirement.id, requirement));
    this.results = results.stream().collect(Collectors.groupingBy(Result::id));
  }

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    Traceability traceability =
        new Traceability(
            readRequirements(root.resolve("docs/project/requirements.md")), readResults(root));
    List<String> problems = traceability.problems();
    problems.forEach(System.out::println);
    write(root, traceability.page());
    System.out.println(traceability.summary());
    if (!problems.isEmpty()) {
      System.exit(1);
    }
  }

  private static List<Requirement> readRequirements(Path file) throws IOException {
    List<Requirement> requirements = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Matcher row = REQUIREMENT.matcher(line);
      if (row.matches()) {
        requirements.add(new Requirement(row.group(1), row.group(2), row.group(3), row.group(4)));
      } else if (ROW_WITH_ID.matcher(line).find()) {
        throw new IOException(file + ": not '| id | requirement | level |': " + line);
      }
    }
    return requirements;
  }

  private static List<Result> readResults(Path root) throws IOException {
    List<Result> results = new ArrayList<>();
    for (Path file : resultFiles(root)) {
      for (String line : Files.readAllLines(file)) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 4) {
          throw new IOException(file + ": not four fields: " + Arrays.toString(fields));
        }
        List<String> open = fields[3].isEmpty() ? List.of() : List.of(fields[3].split(","));
        List<String> databases = open.stream().filter(each -> !OPTIONAL.contains(each)).toList();
        if (open.isEmpty() || !databases.isEmpty()) {
          results.add(new Result(fields[0], fields[1], fields[2], databases));
        }
      }
    }
    return results.stream().distinct().toList();
  }

  private static List<Path> resultFiles(Path root) throws IOException {
    try (Stream<Path> modules = Files.list(root)) {
      return modules
          .map(module -> module.resolve("target/spec-results.tsv"))
          .filter(Files::exists)
          .sorted()
          .toList();
    }
  }

  private List<String> problems() {
    List<String> problems = new ArrayList<>();
    new TreeMap<>(results)
        .forEach(
            (id, tests) -> {
              if (!requirements.containsKey(id)) {
                problems.add(
                    "unknown requirement "
                        + id
                        + " in @Spec of "
                        + String.join(", ", describe(tests))
                        + "; docs/project/requirements.md lists the known ones");
              }
            });
    requirements.values().stream()
        .filter(requirement -> !isTested(requirement))
        .map(requirement -> "no passed test names " + requirement.id + ": " + requirement.text)
        .forEach(problems::add);
    return problems;
  }

  private boolean isTested(Requirement requirement) {
    return results.containsKey(requirement.id);
  }

  /**
   * One entry per test method; a method that several classes inherit is followed by their names.
   */
  private static List<String> describe(List<Result> tests) {
    Map<String, Set<String>> classesByMethod = new TreeMap<>();
    for (Result test : tests) {
      String simpleName =
          test.testClass.substring(test.testClass.lastIndexOf('.') + 1).replace('$', '.');
      classesByMethod.computeIfAbsent(test.method, method -> new TreeSet<>()).add(simpleName);
    }
    return classesByMethod.entrySet().stream()
        .map(entry -> describe(entry.getKey(), entry.getValue()))
        .sorted()
        .toList();
  }

  private static String describe(String method, Set<String> classes) {
    return classes.size() == 1
        ? "`" + classes.iterator().next() + "#" + method + "`"
        : "`" + method + "` (" + String.join(", ", classes) + ")";
  }

  private static void write(Path root, String page) throws IOException {
    Path file = root.resolve("docs/project/traceability.md");
    if (Files.exists(file) && Files.readString(file).equals(page)) {
      System.out.println("docs/project/traceability.md is up to date");
    } else {
      Files.writeString(file, page);
      System.out.println("docs/project/traceability.md was out of date: rewritten, commit it");
    }
  }

  private String page() {
    StringBuilder page = new StringBuilder();
    page.append("# Traceability\n\n");
    page.append("Made by `./check` from the tests that passed and their `@Spec`; do not edit.\n");
    page.append("The requirements themselves are in [requirements.md](requirements.md).\n\n");
    page.append(
        "\"Ran on\" names the databases that were open while the tests of a requirement passed; a"
            + " dash stands for tests that need none.\n"
            + "MySQL is not among them, because its server is optional: where there is one, the tests"
            + " that run on MariaDB run on it too.\n"
            + "SQL Server is not among them: of its statements, names, grammar and fences are"
            + " checked as text.\n\n");
    page.append("| family | requirements | covered | open |");
    DATABASES.forEach(database -> page.append(" on ").append(database).append(" |"));
    page.append("\n|---|---:|---:|---:|").append("---:|".repeat(DATABASES.size())).append("\n");
    byFamily().forEach((family, members) -> page.append(summaryRow(family, members)));
    page.append(summaryRow("all", List.copyOf(requirements.values())));
    byFamily()
        .forEach(
            (family, members) ->
                appendTable(page, family, members.stream().filter(this::isTested).toList()));
    page.append("\n## Open\n");
    byFamily()
        .forEach(
            (family, members) ->
                appendOpen(page, members.stream().filter(r -> !isTested(r)).toList()));
    return page.toString();
  }

  private Map<String, List<Requirement>> byFamily() {
    return requirements.values().stream()
        .collect(
            Collectors.groupingBy(
                Requirement::family, LinkedHashMap::new, Collectors.toUnmodifiableList()));
  }

  private String summaryRow(String family, List<Requirement> members) {
    long covered = members.stream().filter(this::isTested).count();
    StringBuilder row =
        new StringBuilder(
            "| %s | %d | %d | %d |"
                .formatted(family, members.size(), covered, members.size() - covered));
    for (String database : DATABASES) {
      long there = members.stream().filter(each -> databases(each).contains(database)).count();
      row.append(" ").append(there).append(" |");
    }
    return row.append("\n").toString();
  }

  /** Those on which a test of the requirement has passed. */
  private Set<String> databases(Requirement requirement) {
    return results.getOrDefault(requirement.id, List.of()).stream()
        .flatMap(result -> result.databases.stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void appendTable(StringBuilder page, String family, List<Requirement> covered) {
    if (covered.isEmpty()) {
      return;
    }
    page.append("\n## ").append(family).append("\n\n");
    page.append("| id | requirement | ran on | tests |\n|---|---|---|---|\n");
    for (Requirement requirement : covered) {
      Set<String> databases = databases(requirement);
      page.append(
          "| %s | %s | %s | %s |\n"
              .formatted(
                  requirement.id,
                  requirement.text,
                  databases.isEmpty() ? "–" : String.join(", ", databases),
                  String.join("<br>", describe(results.get(requirement.id)))));
    }
  }

  private static void appendOpen(StringBuilder page, List<Requirement> open) {
    if (open.isEmpty()) {
      return;
    }
    page.append("\n| id | requirement | level |\n|---|---|---|\n");
    for (Requirement requirement : open) {
      page.append(
          "| %s | %s | %s |\n".formatted(requirement.id, requirement.text, requirement.level));
    }
  }

  private String summary() {
    long covered = requirements.values().stream().filter(this::isTested).count();
    return "%d of %d requirements have a test".formatted(covered, requirements.size());
  }
}
