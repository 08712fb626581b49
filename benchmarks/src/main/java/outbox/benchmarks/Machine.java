package outbox.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Where the figures come from. */
final class Machine {
  private Machine() {}

  static String describe(Server server) {
    return String.join(
        "\n",
        "- Machine: "
            + Runtime.getRuntime().availableProcessors()
            + " cores ("
            + processor()
            + "), "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + "; client and server share it",
        "- JDK: " + System.getProperty("java.vm.name") + " " + Runtime.version(),
        "- " + server.describe());
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
