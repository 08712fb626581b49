package outbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import outbox.admin.AdminConfig;

/** The command as a process of its own, on the class path of the tests. */
final class OwnProcess {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private OwnProcess() {}

  static List<String> command(List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "outbox.cli.Main"));
    command.addAll(arguments);
    return command;
  }

  /** How the command ends. */
  static int exit(Map<String, String> environment, List<String> arguments) throws Exception {
    Process process = start(environment, arguments, temporary());
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      process.destroy();
      throw new AssertionError(arguments + " does not end");
    }
    return process.exitValue();
  }

  /** What is seen of a server, by what it has put out, while it runs. */
  static Object serve(
      Map<String, String> environment, List<String> arguments, Function<String, Object> look)
      throws Exception {
    Path out = temporary();
    Process process = start(environment, arguments, out);
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> put(out).contains(AdminConfig.DEFAULT_API_PATH) || !process.isAlive());
      await().atMost(PATIENCE).until(() -> put(out).endsWith("\n") || !process.isAlive());
      return look.apply(put(out));
    } finally {
      process.destroy();
      process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static Process start(Map<String, String> environment, List<String> arguments, Path out)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command(arguments))
            .redirectOutput(out.toFile())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static Path temporary() throws IOException {
    Path file = Files.createTempFile("outbox-process", "");
    file.toFile().deleteOnExit();
    return file;
  }

  private static String put(Path out) throws IOException {
    return Files.readString(out, UTF_8);
  }
}
