package shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application runs from what was made of it ahead of time, here still on the JVM. */
class AotTest {
  private static final Path RESOURCES = Path.of("target/spring-aot/main/resources");

  @Test
  @Tag("slow")
  void runsProcessedAheadOfTime(@TempDir Path folder) throws Exception {
    String classPath =
        Path.of("target/aot-classes").toAbsolutePath()
            + File.pathSeparator
            + RESOURCES.toAbsolutePath()
            + File.pathSeparator
            + Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .collect(Collectors.joining(File.pathSeparator));
    Path log = folder.resolve("log");
    Process shop =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dspring.aot.enabled=true",
                "-cp",
                classPath,
                OneOrder.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(shop.waitFor(2, TimeUnit.MINUTES)).as("ends").isTrue();
    } finally {
      shop.destroyForcibly();
    }

    assertThat(Files.readString(log))
        .contains("Starting AOT-processed", "HANDLED mail aot for west");
  }

  @Test
  void payloadsOfListenersAndTheDashboardHaveHints() throws Exception {
    List<Path> hints;
    try (Stream<Path> files = Files.walk(RESOURCES.resolve("META-INF/native-image"))) {
      hints = files.filter(file -> file.toString().endsWith(".json")).toList();
    }
    StringBuilder all = new StringBuilder();
    for (Path file : hints) {
      all.append(Files.readString(file).replace("\\/", "/"));
    }

    assertThat(all)
        .contains("shop.OrderPlaced", "shop.PaymentReceived", "\"invoice\"")
        .contains("outbox/jdbc", "outbox/admin");
  }
}
