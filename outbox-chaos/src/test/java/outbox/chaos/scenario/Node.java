package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A child process running {@link NodeMain}. Closing it kills it, if it still runs. */
final class Node implements AutoCloseable {
  private static final List<String> JAVA =
      List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-Xmx256m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-cp",
          System.getProperty("java.class.path"));

  private final Process process;
  private final Path log;

  private Node(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  static Node start(NodeSettings settings) throws IOException {
    Path log = settings.journal().resolveSibling(settings.name() + ".log");
    return start(NodeMain.class, log, settings.arguments());
  }

  /** Runs another main class, which says the same and ends in the same way. */
  static Node start(Class<?> main, Path log, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(JAVA);
    command.add(main.getName());
    command.addAll(arguments);
    return new Node(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(),
        log);
  }

  void awaitReady() {
    awaitLine(NodeMain.READY);
  }

  void publish() throws IOException {
    OutputStream input = process.getOutputStream();
    input.write('\n');
    input.flush();
  }

  void awaitPublished() {
    awaitLine(NodeMain.PUBLISHED);
  }

  /** SIGKILL; returns when the process is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void signal(String name) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor())
        .isZero();
  }

  /** Lets it close its outbox and end by itself. */
  void finish() throws IOException, InterruptedException {
    process.getOutputStream().close();
    assertThat(process.waitFor(Chaos.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(log()).isZero();
  }

  /** Returns when the process has ended by itself, or the condition holds. */
  void awaitEndOr(Callable<Boolean> condition) {
    await().atMost(Chaos.PATIENCE).until(() -> !process.isAlive() || condition.call());
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** Returns when the process has said it. */
  void awaitLine(String line) {
    await()
        .atMost(Chaos.PATIENCE)
        .until(
            () -> {
              assertThat(process.isAlive() || log().contains(line)).as(log()).isTrue();
              return log().contains(line);
            });
  }
}
