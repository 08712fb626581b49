package outbox.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import outbox.demo.Database.SecondNode;
import outbox.demo.DoomedNode.Witness;

/** The second node as a child process, which is really killed. */
final class NodeProcess implements SecondNode {
  private static final Path LOG = Path.of("target", "demo-" + DoomedNode.NAME + ".log");

  private final Process process;
  private final Thread reader;

  private NodeProcess(Process process, Thread reader) {
    this.process = process;
    this.reader = reader;
  }

  static NodeProcess start(String url, int orders, Witness witness) throws IOException {
    return of(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                CrashingNode.class.getName(),
                url,
                Integer.toString(orders),
                Long.toString(Play.LEASE.toMillis()))
            .redirectError(ProcessBuilder.Redirect.to(LOG.toFile()))
            .start(),
        witness);
  }

  static NodeProcess of(Process process, Witness witness) {
    Thread reader = new Thread(() -> read(process, witness), "second-node-reader");
    reader.setDaemon(true);
    reader.start();
    return new NodeProcess(process, reader);
  }

  private static void read(Process process, Witness witness) {
    try (BufferedReader lines = process.inputReader()) {
      NodeLines.read(lines, witness);
    } catch (IOException e) {
      if (process.isAlive()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public String name() {
    return "node B, a process of its own with pid " + process.pid();
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public Path log() {
    return LOG;
  }

  @Override
  public String crashMethod() {
    return "kill -9 " + process.pid();
  }

  @Override
  public void crash() throws InterruptedException {
    kill();
    process.waitFor();
    reader.join();
  }

  @Override
  public void close() {
    kill();
  }

  /** By its handle: a kill by the process closes the stream that the reader still reads from. */
  private void kill() {
    process.toHandle().destroyForcibly();
  }
}
