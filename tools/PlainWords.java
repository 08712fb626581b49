import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks that what users read names its actors and uses the words of the field: Javadoc, comments,
 * log and error texts, SQL and dashboard of the published modules, README and docs.
 *
 * <p>Run as {@code java tools/PlainWords.java <root> <module>…}. Ends with status 1 and lists the
 * places.
 */
public final class PlainWords {
  private static final Pattern BANNED =
      Pattern.compile(
          "(?i)\\b(whoever|everybody|nobody|somebody|anybody|anew|eldest|mend(s|ed)?"
              + "|(go|goes|going|went) on\\b(?! (a|the|an)\\b)|deaf to|leases? (runs?|ran) out)\\b"
              + "|/\\*\\* The same\\b");
  private static final Pattern READ = Pattern.compile(".*\\.(java|sql|js|html|json|properties|md)");

  private PlainWords() {}

  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    List<Path> files = new ArrayList<>(List.of(root.resolve("README.md")));
    files.addAll(below(root.resolve("docs")));
    for (int i = 1; i < args.length; i++) {
      files.addAll(below(root.resolve(args[i]).resolve("src/main")));
    }
    int problems = 0;
    for (Path file : files) {
      if (file.startsWith(root.resolve("docs/project"))) {
        continue; // the requirements keep the words of their specifications
      }
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        Matcher word = BANNED.matcher(lines.get(i));
        if (word.find()) {
          problems++;
          System.out.printf("%s:%d says \"%s\"%n", root.relativize(file), i + 1, word.group());
        }
      }
    }
    if (problems > 0) {
      System.out.println(
          problems + " places must name the actor and use the words of docs/glossary.md.");
      System.exit(1);
    }
    System.out.println(files.size() + " files use plain words");
  }

  private static List<Path> below(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> READ.matcher(file.toString()).matches()).sorted().toList();
    }
  }
}
