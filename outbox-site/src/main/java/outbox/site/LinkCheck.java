package outbox.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Follows every relative link of a folder of HTML files. Does not follow links to other sites. */
final class LinkCheck {
  private static final Pattern SCRIPT = Pattern.compile("(?s)<script[^>]*>.*?</script>|<!--.*?-->");
  private static final Pattern LINK = Pattern.compile("\\s(?:href|src)=\"([^\"]*)\"");
  private static final Pattern ANCHOR = Pattern.compile("\\s(?:id|name)=\"([^\"]*)\"");
  private static final Pattern ELSEWHERE = Pattern.compile("^([a-zA-Z][a-zA-Z0-9+.-]*:|//).*");

  /** The javadoc of JDK 25 links to type parameters also if they have no description to link to. */
  private static final String UNDOCUMENTED = "type-param-";

  private final Path site;
  private final Map<Path, Set<String>> anchors = new HashMap<>();
  private int links;

  LinkCheck(Path site) {
    this.site = site;
  }

  /** Returns a line for each link that leads nowhere. */
  Set<String> broken() throws IOException {
    Set<String> broken = new TreeSet<>();
    for (Path page : pages()) {
      String html = SCRIPT.matcher(Files.readString(page)).replaceAll(LinkCheck::opening);
      for (String link : values(LINK, html)) {
        if (!ELSEWHERE.matcher(link).matches()) {
          links++;
          problem(page, link)
              .ifPresent(
                  problem -> broken.add(site.relativize(page) + ": " + link + " " + problem));
        }
      }
    }
    return broken;
  }

  /** How many links {@link #broken} has followed. */
  int links() {
    return links;
  }

  private List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(site)) {
      return files.filter(file -> file.toString().endsWith(".html")).sorted().toList();
    }
  }

  private Optional<String> problem(Path page, String link) {
    int hash = link.indexOf('#');
    String file = decode(hash < 0 ? link : link.substring(0, hash)).replaceFirst("\\?.*", "");
    String anchor = hash < 0 ? "" : decode(link.substring(hash + 1));
    Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (!target.startsWith(site)) {
      return Optional.of("leaves the site");
    }
    if (!Files.isRegularFile(target)) {
      return Optional.of("has no such file");
    }
    boolean found =
        anchor.isEmpty() || anchor.startsWith(UNDOCUMENTED) || anchorsOf(target).contains(anchor);
    return found ? Optional.empty() : Optional.of("has no such anchor");
  }

  private Set<String> anchorsOf(Path page) {
    return anchors.computeIfAbsent(
        page,
        file -> {
          try {
            return Set.copyOf(values(ANCHOR, Files.readString(file)));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static Set<String> values(Pattern attribute, String html) {
    return attribute
        .matcher(html)
        .results()
        .map(match -> Html.unescape(match.group(1)))
        .collect(Collectors.toSet());
  }

  /** Keeps the start tag of a script, which may have a link. */
  private static String opening(MatchResult script) {
    String text = script.group();
    return Matcher.quoteReplacement(
        text.startsWith("<!--") ? "" : text.substring(0, text.indexOf('>') + 1));
  }

  private static String decode(String url) {
    return URLDecoder.decode(url.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
