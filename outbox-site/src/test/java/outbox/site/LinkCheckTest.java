package outbox.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkCheckTest {
  @TempDir private Path site;

  @Test
  void namesEveryLinkThatLeadsNowhere() throws IOException {
    page(
        "index.html",
        """
        <a href="missing.html">a</a> <a href="docs/a.html#nothing">b</a> <img src="no.png">
        <script src="no.js"></script> <a href="#nowhere">c</a> <a href="../outside.html">d</a>
        """);
    page("docs/a.html", "<h1 id=\"a\">A</h1>");

    assertThat(new LinkCheck(site).broken())
        .containsExactly(
            "index.html: #nowhere has no such anchor",
            "index.html: ../outside.html leaves the site",
            "index.html: docs/a.html#nothing has no such anchor",
            "index.html: missing.html has no such file",
            "index.html: no.js has no such file",
            "index.html: no.png has no such file");
  }

  @Test
  void acceptsWhatLeadsSomewhere() throws IOException {
    page(
        "index.html",
        """
        <a href="docs/a.html#a(int%5B%5D)">a</a> <a href="https://example.org/b">b</a>
        <a href="mailto:c@example.org">c</a> <a href="#">d</a> <a href="#type-param-T">e</a>
        <script>var text = ' href="missing.html"';</script>
        """);
    page("docs/a.html", "<h1 id=\"a(int[])\">A</h1><a href=\"../index.html\">up</a>");

    LinkCheck check = new LinkCheck(site);
    assertThat(check.broken()).isEmpty();
    assertThat(check.links()).isEqualTo(4);
  }

  private void page(String name, String html) throws IOException {
    Path file = site.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, html);
  }
}
