package outbox.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;

/**
 * A Markdown page of the repository.
 *
 * @param source its path from the root of the repository
 * @param document what the parser found in it
 * @param sections its headings in their order, each with the text below it
 */
record Page(Path source, Node document, List<Section> sections) {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  /** A heading with the text between it and the next one. */
  record Section(Heading heading, String title, String anchor, String text) {}

  static Page read(Path root, Path source) {
    try {
      return parse(source, Files.readString(root.resolve(source)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + source, e);
    }
  }

  static Page parse(Path source, String markdown) {
    Node document = PARSER.parse(markdown);
    return new Page(source, document, sections(document));
  }

  /** Returns the text of the first heading, or the name of the file. */
  String title() {
    return sections.isEmpty() ? source.getFileName().toString() : sections.get(0).title();
  }

  /** Returns the path of this page in the site. */
  String target() {
    return target(source);
  }

  /** Returns the path in the site of the page that a Markdown file becomes. */
  static String target(Path source) {
    String path = source.toString().replace('\\', '/');
    return path.replaceFirst("(^|/)README\\.md$", "$1index.html").replaceFirst("\\.md$", ".html");
  }

  private static List<Section> sections(Node document) {
    List<Section> sections = new ArrayList<>();
    Anchors anchors = new Anchors();
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading heading) {
        String title = PlainText.of(heading);
        sections.add(new Section(heading, title, anchors.next(title), textBelow(heading)));
      }
    }
    return List.copyOf(sections);
  }

  private static String textBelow(Heading heading) {
    StringBuilder text = new StringBuilder();
    for (Node node = heading.getNext();
        node != null && !(node instanceof Heading);
        node = node.getNext()) {
      text.append(PlainText.of(node)).append(' ');
    }
    return text.toString().strip();
  }
}
