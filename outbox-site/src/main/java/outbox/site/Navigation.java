package outbox.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;

/**
 * The order of the pages, from the index in docs/README.md: a section for each heading, an entry
 * for each link.
 */
record Navigation(List<Section> sections) {
  static final Path INDEX = Path.of("docs/README.md");
  static final Path START = Path.of("README.md");

  record Section(String title, List<Entry> entries) {}

  record Entry(String title, Link link) {
    /** Whether this entry leads to a page as a whole, not to a part of it. */
    boolean whole() {
      return link.fragment().isEmpty();
    }
  }

  static Navigation of(Page index) {
    List<Section> sections = new ArrayList<>();
    sections.add(
        new Section(
            "Outbox",
            List.of(
                new Entry("Overview", new Link(START, "")),
                new Entry("All documents", new Link(INDEX, "")))));
    for (Page.Section section : index.sections()) {
      if (section.heading().getLevel() == 2) {
        List<Entry> entries = entriesBelow(index.source(), section.heading());
        if (!entries.isEmpty()) {
          sections.add(new Section(section.title(), entries));
        }
      }
    }
    return new Navigation(List.copyOf(sections));
  }

  /**
   * Returns every page once, in reading order. A page is where the index names it as a whole, else
   * where it names a part of it last.
   */
  List<Entry> order() {
    Map<Path, Entry> places = new LinkedHashMap<>();
    for (Section section : sections) {
      for (Entry entry : section.entries()) {
        Entry known = places.get(entry.link().file());
        if (known == null || !known.whole()) {
          places.remove(entry.link().file());
          places.put(entry.link().file(), entry);
        }
      }
    }
    return List.copyOf(places.values());
  }

  /** Returns the entry that is {@code distance} after a page in reading order. */
  Optional<Entry> neighbour(Path page, int distance) {
    List<Entry> order = order();
    for (int i = 0; i < order.size(); i++) {
      if (order.get(i).link().file().equals(page)) {
        int other = i + distance;
        return other < 0 || other >= order.size()
            ? Optional.empty()
            : Optional.of(order.get(other));
      }
    }
    return Optional.empty();
  }

  /** Returns the title of the section in which a page has its place. */
  Optional<String> sectionOf(Path page) {
    return order().stream()
        .filter(entry -> entry.link().file().equals(page))
        .findFirst()
        .flatMap(
            entry ->
                sections.stream()
                    .filter(section -> section.entries().contains(entry))
                    .map(Section::title)
                    .findFirst());
  }

  private static List<Entry> entriesBelow(Path index, Heading heading) {
    List<Entry> entries = new ArrayList<>();
    AbstractVisitor links =
        new AbstractVisitor() {
          @Override
          public void visit(org.commonmark.node.Link link) {
            Link.of(index, link.getDestination())
                .filter(Link::isPage)
                .ifPresent(target -> entries.add(new Entry(PlainText.of(link), target)));
          }
        };
    for (Node node = heading.getNext();
        node != null && !(node instanceof Heading);
        node = node.getNext()) {
      node.accept(links);
    }
    return List.copyOf(entries);
  }
}
