package outbox.jdbc.samples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Markdown page of this project. */
record Page(Path path, String text) {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Pattern ANY_BLOCK = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  static Page of(String path) {
    return of(ROOT.resolve(path));
  }

  private static Page of(Path path) {
    try {
      return new Page(path, Files.readString(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every page in the root of the project and under docs. */
  static List<Page> all() {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(root, docs)
          .filter(path -> path.toString().endsWith(".md"))
          .sorted()
          .map(Page::of)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> javaBlocks() {
    return JAVA_BLOCK.matcher(text).results().map(block -> block.group(1)).toList();
  }

  /** Targets of links, without those to other sites. */
  List<String> links() {
    return LINK.matcher(prose())
        .results()
        .map(link -> link.group(1))
        .filter(target -> !target.contains("://"))
        .toList();
  }

  /** The anchors of the headings, by the rule of the usual renderers. */
  List<String> anchors() {
    return HEADING
        .matcher(prose())
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  /** The cells of the table row whose first cell is the given one; empty if there is none. */
  List<String> row(String firstCell) {
    Pattern row = Pattern.compile("(?m)^\\| " + Pattern.quote(firstCell) + " \\|(.*)\\|$");
    return row.matcher(text)
        .results()
        .findFirst()
        .map(MatchResult::group)
        .map(line -> line.substring(1, line.length() - 1))
        .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList())
        .orElse(List.of());
  }

  /** Without code blocks, every run of white space a single space. */
  String flat() {
    return prose().replaceAll("\\s+", " ");
  }

  private String prose() {
    return ANY_BLOCK.matcher(text).replaceAll("");
  }

  @Override
  public String toString() {
    return ROOT.relativize(path).toString();
  }
}
