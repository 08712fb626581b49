package outbox.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ContentTest {
  @Test
  void linksLeadToThePagesOfTheSite() {
    assertThat(docs("[a](states.md#every-transition)"))
        .contains("href=\"states.html#every-transition\"");
    assertThat(docs("[a](../README.md)")).contains("href=\"../index.html\"");
    assertThat(docs("[a](project/README.md)")).contains("href=\"project/index.html\"");
    assertThat(docs("[a](../LICENSE)")).contains("href=\"../LICENSE.html\"");
    assertThat(docs("![a](images/a.png)")).contains("src=\"images/a.png\"");
    assertThat(docs("[a](#here)")).contains("href=\"#here\"");
    assertThat(docs("[a](https://example.org/x.md)")).contains("href=\"https://example.org/x.md\"");
  }

  @Test
  void headingsHaveTheirAnchors() {
    assertThat(docs("## `publish` and more")).contains("<h2 id=\"publish-and-more\">");
  }

  @Test
  void tablesScrollAndGiveRoomToLongCells() {
    assertThat(docs("| a | b |\n|---|---|\n| 1 | a text that does not fit a narrow column |"))
        .contains("class=\"table\"", "<td class=\"long\">a text that", "<td>1</td>");
  }

  @Test
  void codeIsMarkedByLanguageAndEscaped() {
    assertThat(docs("```java\nreturn list < \"a&b\"; // why\n```"))
        .contains(
            "<span class=\"keyword\">return</span> list &lt; "
                + "<span class=\"string\">&quot;a&amp;b&quot;</span>; "
                + "<span class=\"comment\">// why</span>");
    assertThat(docs("```\n<a>\n```")).contains("<code>&lt;a&gt;\n</code>");
  }

  @Test
  void diagramsAreLeftToTheBrowser() {
    assertThat(docs("```mermaid\na --> b\n```"))
        .contains("<pre class=\"mermaid\" tabindex=\"0\">a --&gt; b\n</pre>");
  }

  private static String docs(String markdown) {
    return Content.of(Page.parse(Path.of("docs/page.md"), markdown));
  }
}
