package outbox.chaos.fleet;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import outbox.chaos.clock.MovableClock;
import outbox.chaos.node.NodeMain;
import outbox.chaos.node.NodeSettings;
import outbox.chaos.node.Vitals;

/** One life of a node. Thread-safe. */
final class NodeProcess {
  private static final List<String> JAVA =
      List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-Xmx160m",
          "-Xss512k",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:-OmitStackTraceInFastThrow",
          "-cp",
          System.getProperty("java.class.path"),
          NodeMain.class.getName());

  private final Process process;
  private final Thread reader;
  private volatile boolean ready;
  private volatile boolean rested;
  private volatile Usage most = Usage.NONE;

  private NodeProcess(Process process, Path log) {
    this.process = process;
    this.reader = new Thread(() -> read(log), "node-output");
    reader.setDaemon(true);
    reader.start();
  }

  static NodeProcess start(NodeSettings settings, MovableClock clock, Path log) {
    List<String> command = new ArrayList<>(JAVA);
    command.addAll(settings.arguments());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(clock.environment());
    try {
      return new NodeProcess(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isReady() {
    return ready;
  }

  boolean isRested() {
    return rested;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  Usage most() {
    return most;
  }

  /** A line of input; one that has ended does not hear it. */
  synchronized void tell(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(US_ASCII));
      process.getOutputStream().flush();
    } catch (IOException e) {
      // It has ended; its successor is told what it must know when it is ready.
    }
  }

  void rest() {
    rested = false;
    tell("rest");
  }

  void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void kill() {
    process.destroyForcibly();
  }

  /** Lets it close its engines and end by itself; returns whether it did. */
  boolean finish() throws InterruptedException {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It has ended already.
    }
    if (process.waitFor(30, TimeUnit.SECONDS)) {
      return true;
    }
    kill();
    return false;
  }

  /** Waits for the end of the process and of its output. */
  int awaitEnd() throws InterruptedException {
    int exit = process.waitFor();
    reader.join();
    return exit;
  }

  private void heed(String line) {
    if (line.equals(NodeMain.READY)) {
      ready = true;
    } else if (line.equals(NodeMain.RESTED)) {
      rested = true;
    }
  }

  private void read(Path log) {
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        PrintWriter copy =
            new PrintWriter(
                Files.newBufferedWriter(
                    log, StandardOpenOption.CREATE, StandardOpenOption.APPEND))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(Vitals.PREFIX)) {
          most = most.most(Usage.parse(line));
        } else {
          copy.println(line);
          copy.flush();
        }
        heed(line);
      }
    } catch (IOException e) {
      // The process was killed in the middle of a line.
    }
  }
}
