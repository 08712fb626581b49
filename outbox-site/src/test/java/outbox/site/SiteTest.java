package outbox.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {
  @TempDir private Path folder;

  @Test
  void makesASiteOfThisRepositoryWhoseLinksAllLeadSomewhere() throws IOException {
    new Site(Path.of("..").toRealPath(), folder).make(false);

    assertThat(folder.resolve("index.html")).content().contains("<h1 id=\"outbox\">");
    assertThat(folder.resolve("docs/configuration.html"))
        .content()
        .contains("aria-current=\"page\"");
    assertThat(folder.resolve("assets/search-index.js"))
        .content()
        .contains("\"docs/configuration.html#sizing\"");
    assertThat(folder.resolve("assets/mermaid.min.js")).isNotEmptyFile();
  }

  @Test
  void refusesABrokenLink() throws IOException {
    Path root = repository("# A\n[gone](docs/gone.md)\n");

    assertThatThrownBy(() -> new Site(root, folder.resolve("site")).make(false))
        .isInstanceOf(SiteException.class)
        .hasMessage("links that lead nowhere: 1");
  }

  @Test
  void leavesNothingOfAnEarlierSite() throws IOException {
    Path root = repository("# A\n");
    Path site = folder.resolve("site");
    Files.writeString(Files.createDirectories(site.resolve("docs")).resolve("old.html"), "old");

    new Site(root, site).make(false);

    assertThat(site.resolve("docs/old.html")).doesNotExist();
    assertThat(site.resolve("docs/index.html")).exists();
  }

  private Path repository(String readme) throws IOException {
    Path root = folder.resolve("repository");
    Files.createDirectories(root.resolve("docs"));
    Files.writeString(root.resolve("README.md"), readme);
    Files.writeString(root.resolve("docs/README.md"), "# B\n");
    return root;
  }
}
