package outbox.spring.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The packaged application, started as a user would. */
final class DemoProcess implements AutoCloseable {
  private static final Path JAR = Path.of("target", "outbox-spring-demo.jar");
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final Pattern STARTED = Pattern.compile("Started DemoApplication");

  private final Process process;
  private final Path log;

  private DemoProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  static DemoProcess start(Path log, String... options) throws IOException {
    assertThat(JAR).as("run mvn package first").exists();
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                JAR.toString(),
                "--server.port=0"));
    command.addAll(List.of(options));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    DemoProcess demo = new DemoProcess(process, log);
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> STARTED.matcher(demo.log()).find() || !process.isAlive());
    assertThat(process.isAlive()).as(demo.log()).isTrue();
    return demo;
  }

  String baseUrl() {
    Matcher port = PORT.matcher(log());
    assertThat(port.find()).as(log()).isTrue();
    return "http://localhost:" + port.group(1);
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** Waits for the end; fails if the process outlives the limit. */
  int awaitEnd(Duration limit) throws InterruptedException {
    assertThat(process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS))
        .as("ended within %s", limit)
        .isTrue();
    return process.exitValue();
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
