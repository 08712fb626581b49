package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LinksTest {

  static List<Page> pages() {
    return Page.all();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyRelativeLinkLeadsSomewhere(Page page) {
    assertThat(page.links()).allSatisfy(link -> assertThat(resolves(page, link)).isTrue());
  }

  private static boolean resolves(Page page, String link) {
    String file = link.replaceFirst("#.*", "");
    Path target = file.isEmpty() ? page.path() : page.path().resolveSibling(file).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return !link.contains("#") || anchors(target).contains(link.substring(link.indexOf('#') + 1));
  }

  private static List<String> anchors(Path target) {
    return Page.all().stream()
        .filter(page -> page.path().equals(target))
        .flatMap(page -> page.anchors().stream())
        .toList();
  }
}
