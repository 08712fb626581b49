package outbox.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

/** Makes the site of the repository in the working directory. */
public final class Site {
  private static final List<String> ASSETS = List.of("site.css", "site.js", "api.css", "icon.svg");
  private static final String MERMAID = "/META-INF/maven/org.webjars.npm/mermaid/pom.properties";

  private final Path root;
  private final Path target;
  private final Path assets;

  Site(Path root, Path target) {
    this.root = root;
    this.target = target;
    this.assets = target.resolve("assets");
  }

  /**
   * Runs the command.
   *
   * @param args see {@link Options#HELP}
   */
  public static void main(String[] args) throws IOException {
    System.exit(run(args));
  }

  private static int run(String... args) throws IOException {
    try {
      Options options = Options.parse(args);
      if (options.help()) {
        System.out.print(Options.HELP);
        return 0;
      }
      Path root = Path.of("").toAbsolutePath();
      new Site(root, root.resolve("target/site")).make(options.api());
      return 0;
    } catch (SiteException e) {
      System.err.println("site: " + e.getMessage());
      return 1;
    } catch (IllegalArgumentException e) {
      System.err.println("site: " + e.getMessage());
      return 2;
    }
  }

  void make(boolean api) throws IOException {
    empty(target);
    Files.createDirectories(assets);
    for (String asset : ASSETS) {
      copyResource(asset, asset);
    }
    copyResource(mermaid(), "mermaid.min.js");
    if (api) {
      int packages = ApiDocs.write(root, target.resolve("api"), assets.resolve("api.css"));
      System.out.printf("javadoc of %d packages%n", packages);
    }
    Sources sources = Sources.find(root);
    Navigation navigation = Navigation.of(sources.page(Navigation.INDEX));
    Layout layout = new Layout(navigation, api);
    for (Page page : sources.pages()) {
      write(page.target(), layout.page(page, Content.of(page)));
    }
    for (Link file : sources.files()) {
      write(file.target(), layout.file(file, Files.readString(root.resolve(file.file()))));
    }
    for (Link image : sources.images()) {
      Path copy = parentOf(target.resolve(image.target()));
      Files.copy(root.resolve(image.file()), copy, StandardCopyOption.REPLACE_EXISTING);
    }
    write("assets/search-index.js", SearchIndex.of(sources, navigation, target.resolve("api")));
    check();
    System.out.printf("%d pages%n", sources.pages().size());
    System.out.println("open " + target.resolve("index.html").toUri());
  }

  private void check() throws IOException {
    LinkCheck check = new LinkCheck(target);
    Set<String> broken = check.broken();
    broken.forEach(System.err::println);
    if (!broken.isEmpty()) {
      throw new SiteException("links that lead nowhere: " + broken.size());
    }
    System.out.printf("%d relative links lead somewhere%n", check.links());
  }

  private void write(String path, String text) throws IOException {
    Files.writeString(parentOf(target.resolve(path)), text);
  }

  private void copyResource(String resource, String name) throws IOException {
    try (InputStream in = Site.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the class path has no " + resource);
      }
      Files.copy(in, assets.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** The path of the bundle contains its version. */
  private static String mermaid() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Site.class.getResourceAsStream(MERMAID)) {
      if (in == null) {
        throw new IllegalStateException("the class path has no " + MERMAID);
      }
      properties.load(in);
    }
    return "/META-INF/resources/webjars/mermaid/%s/dist/mermaid.min.js"
        .formatted(properties.getProperty("version"));
  }

  private static Path parentOf(Path file) throws IOException {
    Path folder = file.getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    return file;
  }

  private static void empty(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
