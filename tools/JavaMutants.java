import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Says what PIT found: {@code JavaMutants ROOT MODULE [short]}. Takes the report of the module into
 * {@code target/java-mutants.tsv}, which keeps the results of all classes that were ever tried, and
 * prints the share of each package and the survivors that {@code tools/mutants/java-survivors.txt}
 * does not explain. Ends with 1 if a class of this report has such survivors or a package of it is
 * below {@value #WANTED} percent. The short form has run a part of the tests only: it keeps
 * nothing, and {@value #WANTED_SHORT} percent of all are enough.
 */
public final class JavaMutants {
  private static final int WANTED = 85;
  private static final int WANTED_SHORT = 50;
  private static final Set<String> NOTICED =
      Set.of("KILLED", "TIMED_OUT", "MEMORY_ERROR", "RUN_ERROR");

  /** One mutant and what became of it. The line is text, which outlives changes of other lines. */
  private record Mutant(String type, String method, String mutator, String line, String status) {
    static Mutant read(String row) {
      String[] cells = row.split("\t", -1);
      return new Mutant(cells[0], cells[1], cells[2], cells[3], cells[4]);
    }

    String row() {
      return String.join("\t", type, method, mutator, line, status);
    }

    String place() {
      return type + "#" + method + " | " + mutator + " | " + line;
    }

    String inPackage() {
      return type.substring(0, type.lastIndexOf('.'));
    }

    boolean noticed() {
      return NOTICED.contains(status);
    }
  }

  private record Explained(Pattern place, String text) {
    static Explained read(String line) {
      String[] parts = line.strip().split(" +\\| +", -1);
      if (parts.length != 4 || parts[3].isBlank()) {
        throw new IllegalArgumentException("not class#method | mutator | line | reason: " + line);
      }
      String place = parts[0] + " | " + parts[1] + " | " + parts[2];
      return new Explained(
          Pattern.compile(
              Stream.of(place.split("\\*", -1))
                  .map(Pattern::quote)
                  .collect(Collectors.joining(".*"))),
          line);
    }
  }

  private final Path root;
  private final Map<String, List<String>> sources = new HashMap<>();

  private JavaMutants(Path root) {
    this.root = root;
  }

  public static void main(String[] arguments) throws Exception {
    JavaMutants mutants = new JavaMutants(Path.of(arguments[0]));
    List<Mutant> tried =
        mutants.report(Path.of(arguments[0], arguments[1], "target/pit/mutations.xml"));
    if (tried.isEmpty()) {
      System.out.println("there are no mutants in these classes");
      return;
    }
    boolean good =
        arguments.length > 2
            ? mutants.printShort(tried)
            : mutants.print(mutants.keep(tried), tried);
    System.exit(good ? 0 : 1);
  }

  private List<Mutant> report(Path file) throws Exception {
    List<Mutant> found = new ArrayList<>();
    NodeList nodes =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(file.toFile())
            .getElementsByTagName("mutation");
    for (int i = 0; i < nodes.getLength(); i++) {
      Element node = (Element) nodes.item(i);
      String type = text(node, "mutatedClass");
      found.add(
          new Mutant(
              type,
              text(node, "mutatedMethod"),
              text(node, "mutator").replaceFirst(".*\\.", "").replaceFirst("Mutator$", ""),
              line(type, Integer.parseInt(text(node, "lineNumber"))),
              node.getAttribute("status")));
    }
    return found;
  }

  private static String text(Element node, String name) {
    return node.getElementsByTagName(name).item(0).getTextContent();
  }

  private String line(String type, int number) throws IOException {
    String path = type.replaceFirst("\\$.*", "").replace('.', '/') + ".java";
    List<String> lines = sources.get(path);
    if (lines == null) {
      lines = List.of();
      try (Stream<Path> modules = Files.list(root)) {
        for (Path module : modules.toList()) {
          Path source = module.resolve("src/main/java").resolve(path);
          lines = Files.exists(source) ? Files.readAllLines(source) : lines;
        }
      }
      sources.put(path, lines);
    }
    return number < 1 || number > lines.size() ? "" : lines.get(number - 1).strip();
  }

  private List<Mutant> keep(List<Mutant> tried) throws IOException {
    Set<String> types = tried.stream().map(Mutant::type).collect(Collectors.toSet());
    Path kept = root.resolve("target/java-mutants.tsv");
    List<Mutant> all = new ArrayList<>();
    if (Files.exists(kept)) {
      Files.readAllLines(kept).stream()
          .map(Mutant::read)
          .filter(mutant -> !types.contains(mutant.type()))
          .forEach(all::add);
    }
    all.addAll(tried);
    Files.createDirectories(kept.getParent());
    Files.write(kept, all.stream().map(Mutant::row).sorted().toList());
    return all;
  }

  private boolean printShort(List<Mutant> tried) throws IOException {
    List<Mutant> open = printOpen(tried);
    int share = 100 * (tried.size() - open.size()) / tried.size();
    System.out.printf("%d mutants, %d %% noticed or explained%n", tried.size(), share);
    return share >= WANTED_SHORT;
  }

  private List<Mutant> printOpen(List<Mutant> tried) throws IOException {
    List<Explained> explained = explained();
    List<Mutant> open =
        tried.stream()
            .filter(mutant -> !mutant.noticed())
            .filter(
                it -> explained.stream().noneMatch(e -> e.place().matcher(it.place()).matches()))
            .toList();
    open.forEach(mutant -> System.out.println(mutant.status() + "  " + mutant.place()));
    return open;
  }

  private boolean print(List<Mutant> all, List<Mutant> tried) throws IOException {
    List<Mutant> open = printOpen(tried);
    Map<String, List<Mutant>> packages =
        all.stream()
            .collect(Collectors.groupingBy(Mutant::inPackage, TreeMap::new, Collectors.toList()));
    Set<String> now =
        tried.stream().map(Mutant::inPackage).collect(Collectors.toCollection(LinkedHashSet::new));
    boolean good = open.isEmpty();
    System.out.printf("%n| package | mutants | noticed | share |%n|---|---:|---:|---:|%n");
    for (var one : packages.entrySet()) {
      long noticed = one.getValue().stream().filter(Mutant::noticed).count();
      double share = 100.0 * noticed / one.getValue().size();
      System.out.printf(
          "| `%s` | %d | %d | %.1f %% |%n", one.getKey(), one.getValue().size(), noticed, share);
      good &= !now.contains(one.getKey()) || share >= WANTED;
    }
    System.out.printf("%n%d survivors are not explained%n", open.size());
    return good;
  }

  private List<Explained> explained() throws IOException {
    return Files.readAllLines(root.resolve("tools/mutants/java-survivors.txt")).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(Explained::read)
        .toList();
  }
}
