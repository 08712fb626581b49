package outbox.jdbc.samples;

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

/** Whatever Java a page shows is compiled and run: it is a region of a sample. */
class SnippetsTest {
  private static final List<Path> SAMPLES =
      List.of(
          Path.of("src/test/java/outbox/jdbc/samples"),
          Path.of("../outbox-admin/src/test/java/outbox/admin"),
          Path.of("../outbox-kafka/src/test/java/outbox/kafka"),
          Path.of("../outbox-rabbitmq/src/test/java/outbox/rabbitmq"),
          Path.of("../outbox-webhook/src/test/java/outbox/webhook"),
          Path.of("../outbox-micrometer/src/test/java/outbox/micrometer"),
          Path.of("../outbox-spring-boot-starter/src/test/java/outbox/spring/boot"));
  private static final Pattern REGION =
      Pattern.compile("(?ms)^ *// region ([a-z-]+)\\n(.*?)^ *// endregion$");

  @Test
  void everyJavaBlockIsARegionOfASample() throws IOException {
    Map<String, String> regions = regions();
    for (Page page : Page.all()) {
      for (String block : page.javaBlocks()) {
        assertThat(regions.values())
            .as("the block of %s that begins with: %s", page, block.lines().findFirst().orElse(""))
            .contains(withoutSpace(block));
      }
    }
  }

  @Test
  void everyRegionOfASampleIsShownOnAPage() throws IOException {
    List<String> blocks =
        Page.all().stream()
            .flatMap(page -> page.javaBlocks().stream())
            .map(SnippetsTest::withoutSpace)
            .toList();
    assertThat(regions())
        .allSatisfy((name, code) -> assertThat(blocks).as("region " + name).contains(code));
  }

  private static Map<String, String> regions() throws IOException {
    Map<String, String> regions = new TreeMap<>();
    for (Path folder : SAMPLES) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          addRegions(file, regions);
        }
      }
    }
    return regions;
  }

  private static void addRegions(Path file, Map<String, String> regions) throws IOException {
    Matcher region = REGION.matcher(Files.readString(file));
    while (region.find()) {
      String code = withoutSpace(withoutFillings(region.group(2)));
      assertThat(regions.put(region.group(1), code)).as("a second " + region.group(1)).isNull();
    }
  }

  /** What the quick start leaves to the reader in comments. */
  private static String withoutFillings(String code) {
    return code.replaceAll("(?m)^.*// filled in$", "")
        .replace("/* your DataSource */ database.dataSource()", "/* your DataSource */");
  }

  private static String withoutSpace(String code) {
    return code.replaceAll("\\s", "");
  }
}
