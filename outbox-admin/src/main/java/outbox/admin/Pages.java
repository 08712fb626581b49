package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of the dashboard: one page, which every view of it is, and what the page loads. */
final class Pages {
  /** Nothing but what comes from here, and nothing written into the page itself. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self';"
          + " frame-ancestors 'none'";

  private static final String ROOT = "/outbox/admin/ui/";
  private static final String CHART = "lib/chart.js";
  private static final Set<String> VIEWS =
      Set.of("events", "dead", "inbox", "joins", "nodes", "databases", "login");
  private static final Pattern FILE = Pattern.compile("([a-z0-9-]+/)*[a-z0-9.-]+\\.[a-z]+");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private final Map<String, Page> loaded = new ConcurrentHashMap<>();

  /** A file as it is sent. */
  @SuppressWarnings("ArrayRecordComponent")
  record Page(String contentType, byte[] content, String tag) {
    static Page of(String type, byte[] content) {
      String digest = HexFormat.of().formatHex(Sha256.of(content), 0, 12);
      return new Page(type, content, '"' + digest + '"');
    }
  }

  /**
   * The file for a path below the dashboard's own.
   *
   * @param base the address of the dashboard, without a slash at its end
   * @param api the address of the API
   */
  Optional<Page> find(List<String> path, String base, String api) {
    if (path.isEmpty() || VIEWS.contains(path.get(0))) {
      return Optional.of(index(base, api));
    }
    String file = String.join("/", path.subList(1, path.size()));
    return path.get(0).equals("ui") && FILE.matcher(file).matches() ? file(file) : Optional.empty();
  }

  private Page index(String base, String api) {
    return loaded.computeIfAbsent(
        "index.html " + base + " " + api,
        key -> {
          Page plain = load("index.html", ROOT + "index.html");
          if (plain == null) {
            throw new IllegalStateException("the dashboard is not on the class path");
          }
          String text =
              new String(plain.content(), UTF_8)
                  .replace("{base}", escaped(base))
                  .replace("{api}", escaped(api));
          return Page.of(plain.contentType(), text.getBytes(UTF_8));
        });
  }

  private Optional<Page> file(String name) {
    Page known = loaded.get(name);
    if (known != null || name.equals("index.html")) {
      return Optional.ofNullable(known);
    }
    Page page = load(name, name.equals(CHART) ? chart() : ROOT + name);
    if (page != null) {
      loaded.put(name, page);
    }
    return Optional.ofNullable(page);
  }

  private static @Nullable Page load(String name, String resource) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
    try (InputStream in = type == null ? null : Pages.class.getResourceAsStream(resource)) {
      return in == null || type == null ? null : Page.of(type, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the webjar of this version has it. */
  private static String chart() {
    Properties webjar = new Properties();
    try (InputStream in =
        Pages.class.getResourceAsStream(
            "/META-INF/maven/org.webjars.npm/chart.js/pom.properties")) {
      if (in != null) {
        webjar.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "/META-INF/resources/webjars/chart.js/"
        + webjar.getProperty("version")
        + "/dist/chart.umd.js";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
