package outbox.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;

/**
 * What the site shows of the repository: README.md, all of docs, and the pages, images and other
 * files that these lead to.
 */
final class Sources {
  private final Path root;
  private final SortedMap<Path, Page> pages = new TreeMap<>();
  private final Set<Link> images = new TreeSet<>(Comparator.comparing(Link::file));
  private final Set<Link> files = new TreeSet<>(Comparator.comparing(Link::file));
  private final Deque<Path> unread = new ArrayDeque<>();

  private Sources(Path root) {
    this.root = root;
  }

  static Sources find(Path root) throws IOException {
    Sources sources = new Sources(root);
    sources.unread.add(Path.of("README.md"));
    try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      docs.map(root::relativize)
          .filter(path -> path.toString().endsWith(".md"))
          .forEach(sources.unread::add);
    }
    while (!sources.unread.isEmpty()) {
      sources.read(sources.unread.remove());
    }
    return sources;
  }

  Collection<Page> pages() {
    return pages.values();
  }

  /** Images, which the site copies. */
  Set<Link> images() {
    return images;
  }

  /** Other files, which the site shows as text. */
  Set<Link> files() {
    return files;
  }

  Page page(Path source) {
    Page page = pages.get(source);
    if (page == null) {
      throw new IllegalArgumentException("there is no page " + source);
    }
    return page;
  }

  private void read(Path source) {
    if (pages.containsKey(source)) {
      return;
    }
    Page page = Page.read(root, source);
    pages.put(source, page);
    page.document()
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(org.commonmark.node.Link link) {
                follow(source, link.getDestination());
                visitChildren(link);
              }

              @Override
              public void visit(Image image) {
                follow(source, image.getDestination());
              }
            });
  }

  /** Leaves out what is not there: the check of the links names it. */
  private void follow(Path page, String destination) {
    Link.of(page, destination)
        .filter(link -> Files.isRegularFile(root.resolve(link.file())))
        .ifPresent(
            link -> {
              if (link.isPage()) {
                unread.add(link.file());
              } else {
                (link.isImage() ? images : files).add(link);
              }
            });
  }
}
