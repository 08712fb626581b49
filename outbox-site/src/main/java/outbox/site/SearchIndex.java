package outbox.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the search of the site looks through, as a script: a browser loads it from the disk, which
 * it refuses for data.
 */
final class SearchIndex {
  private static final Pattern TYPE =
      Pattern.compile("\\{\"p\":\"([^\"]+)\",(?:\"m\":\"[^\"]*\",)?\"l\":\"([^\"]+)\"");

  private SearchIndex() {}

  static String of(Sources sources, Navigation navigation, Path api) throws IOException {
    String entries =
        sources.pages().stream()
            .flatMap(page -> entries(page, navigation.sectionOf(page.source()).orElse("")))
            .collect(Collectors.joining(",\n"));
    return "window.searchIndex = {\"sections\": [\n%s\n], \"types\": [\n%s\n]};\n"
        .formatted(entries, String.join(",\n", types(api)));
  }

  private static Stream<String> entries(Page page, String group) {
    return page.sections().stream()
        .map(
            section ->
                array(
                    page.target()
                        + (section.heading().getLevel() == 1 ? "" : "#" + section.anchor()),
                    page.title(),
                    section.heading().getLevel() == 1 ? "" : section.title(),
                    group,
                    section.text()));
  }

  /** The types that javadoc lists for its own search. */
  private static List<String> types(Path api) throws IOException {
    Path list = api.resolve("type-search-index.js");
    if (!Files.exists(list)) {
      return List.of();
    }
    return TYPE.matcher(Files.readString(list)).results().map(SearchIndex::type).toList();
  }

  private static String type(MatchResult type) {
    String file = "api/" + type.group(1).replace('.', '/') + "/" + type.group(2) + ".html";
    return array(file, type.group(2), type.group(1));
  }

  private static String array(String... values) {
    return Stream.of(values).map(SearchIndex::quote).collect(Collectors.joining(",", "[", "]"));
  }

  private static String quote(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> json.append('\\').append(c);
        case '<' -> json.append("\\u003c");
        default -> json.append(c < ' ' ? ' ' : c);
      }
    }
    return json.append('"').toString();
  }
}
