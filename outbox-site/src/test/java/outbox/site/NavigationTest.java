package outbox.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class NavigationTest {
  private final Navigation navigation =
      Navigation.of(
          Page.parse(
              Navigation.INDEX,
              """
              # Documentation
              The [glossary](glossary.md).
              ## Start
              | page | content |
              |---|---|
              | [Java](java.md) | five minutes |
              ## How to
              [Secure it](admin.md#roles) · [Sizing](settings.md#sizing)
              ## Reference
              [Settings](settings.md) · [Admin](admin.md#api) · [Site](https://example.org)
              """));

  @Test
  void hasASectionForEachHeadingAndAnEntryForEachLinkToAPage() {
    assertThat(navigation.sections())
        .extracting(Navigation.Section::title)
        .containsExactly("Outbox", "Start", "How to", "Reference");
    assertThat(navigation.sections().get(3).entries())
        .extracting(Navigation.Entry::title)
        .containsExactly("Settings", "Admin");
  }

  @Test
  void ordersEachPageOnceWhereTheIndexNamesItAsAWhole() {
    assertThat(navigation.order())
        .extracting(Navigation.Entry::title)
        .containsExactly("Overview", "All documents", "Java", "Settings", "Admin");
    assertThat(navigation.sectionOf(Path.of("docs/settings.md"))).contains("Reference");
  }

  @Test
  void knowsWhatComesBeforeAndAfterAPage() {
    Path page = Path.of("docs/settings.md");
    assertThat(List.of(-1, 1))
        .map(distance -> navigation.neighbour(page, distance).orElseThrow().title())
        .containsExactly("Java", "Admin");
    assertThat(navigation.neighbour(Navigation.START, -1)).isEmpty();
    assertThat(navigation.neighbour(Path.of("docs/admin.md"), 1)).isEmpty();
    assertThat(navigation.neighbour(Path.of("docs/elsewhere.md"), 1)).isEmpty();
  }
}
