package outbox.site;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A link of a page to a file of the repository.
 *
 * @param file the file, from the root of the repository
 * @param fragment the anchor with its {@code #}, or empty
 */
record Link(Path file, String fragment) {
  private static final Pattern ELSEWHERE = Pattern.compile("^([a-zA-Z][a-zA-Z0-9+.-]*:|//|#|$).*");
  private static final Pattern IMAGE = Pattern.compile(".*\\.(png|svg|jpg|jpeg|gif|webp|ico)$");

  /** Returns the file that a link on a page names; empty if it leads to the page or elsewhere. */
  static Optional<Link> of(Path page, String destination) {
    if (ELSEWHERE.matcher(destination).matches()) {
      return Optional.empty();
    }
    int hash = destination.indexOf('#');
    String file = hash < 0 ? destination : destination.substring(0, hash);
    Path resolved = page.resolveSibling(file).normalize();
    return Optional.of(new Link(resolved, hash < 0 ? "" : destination.substring(hash)));
  }

  boolean isPage() {
    return name().endsWith(".md");
  }

  boolean isImage() {
    return IMAGE.matcher(name()).matches();
  }

  /** Returns the path in the site of what the file becomes, without the anchor. */
  String target() {
    if (isPage()) {
      return Page.target(file);
    }
    String path = file.toString().replace('\\', '/');
    return isImage() ? path : path + ".html";
  }

  /** Returns the link as a page at {@code from} writes it. */
  String href(String from) {
    return relative(from, target()) + fragment;
  }

  /**
   * Returns the path to {@code target} as a page at {@code from} writes it; both are of the site.
   */
  static String relative(String from, String target) {
    Path folder = Path.of(from).getParent();
    Path path = folder == null ? Path.of(target) : folder.relativize(Path.of(target));
    return path.toString().replace('\\', '/');
  }

  private String name() {
    return file.toString().toLowerCase(Locale.ROOT);
  }
}
