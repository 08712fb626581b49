package outbox.chaos.operator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What an operator can be sent to do, in a process of its own. */
public enum Errand {
  PURGE,
  REPLAY,
  MIGRATE;

  /** Lets it begin and kills it after a while, unless it has ended by then. */
  public void runAndKill(String url, long afterMillis) throws IOException, InterruptedException {
    Process process = start(url);
    try {
      BufferedReader output = output(process);
      String line = output.readLine();
      while (line != null && !line.equals(OperatorMain.BEGUN)) {
        line = output.readLine();
      }
      TimeUnit.MILLISECONDS.sleep(afterMillis);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Lets it do everything; throws if it fails. */
  public void run(String url) throws IOException, InterruptedException {
    Process process = start(url);
    String output = String.join("\n", output(process).lines().toList());
    int exit = process.waitFor();
    if (exit != 0) {
      throw new IllegalStateException(name() + " failed with exit " + exit + ": " + output);
    }
  }

  private Process start(String url) throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OperatorMain.class.getName(),
                name(),
                url))
        .redirectErrorStream(true)
        .start();
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }
}
