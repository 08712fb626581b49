package outbox.chaos.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.chaos.clock.MovableClock;

/** The operating system's side of a server. */
final class ServerProcess {
  private final List<String> command;
  private final MovableClock clock;
  private final Path log;
  private @Nullable Process process;

  ServerProcess(List<String> command, MovableClock clock, Path log) {
    this.command = command;
    this.clock = clock;
    this.log = log;
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Starts it, and again if it ends meanwhile, until the question is answered. */
  void start(Question answers) throws InterruptedException {
    long end = System.nanoTime() + TriedServer.PATIENCE.toNanos();
    while (true) {
      if (!isAlive()) {
        process = run(command, clock.environment(), log);
      }
      try {
        answers.ask();
        return;
      } catch (SQLException e) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("the server does not start; see " + log, e);
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  /** Sends a signal and waits for the end. */
  void end(String signal) throws InterruptedException {
    if (process == null) {
      return;
    }
    if (signal.equals("KILL")) {
      List<ProcessHandle> children = process.descendants().toList();
      process.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
      for (ProcessHandle child : children) {
        child.onExit().join();
      }
    } else {
      finish(new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid())));
    }
    if (!process.waitFor(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the server does not end by " + signal + "; see " + log);
    }
  }

  static Process run(List<String> command, Map<String, String> environment, Path log) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      return builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a command that must end well. */
  static void finish(List<String> command, Path log) throws InterruptedException {
    int exit = run(command, Map.of(), log).waitFor();
    if (exit != 0) {
      throw new IllegalStateException(
          "exit " + exit + " of " + String.join(" ", command) + "; see " + log);
    }
  }

  private static void finish(ProcessBuilder builder) throws InterruptedException {
    try {
      builder.start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Succeeds once the server takes connections. */
  @FunctionalInterface
  interface Question {
    void ask() throws SQLException;
  }
}
