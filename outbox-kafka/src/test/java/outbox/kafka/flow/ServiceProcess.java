package outbox.kafka.flow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A service in a JVM of its own. */
final class ServiceProcess implements AutoCloseable {
  private final List<String> command;
  private final Path log;
  private Process process;

  ServiceProcess(Class<?> main, String... arguments) {
    command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    log = Path.of("target", "flow-" + main.getSimpleName() + ".log");
    process = start();
  }

  private Process start() {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills it with SIGKILL and starts it again. */
  void killAndRestart() {
    close();
    process = start();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
