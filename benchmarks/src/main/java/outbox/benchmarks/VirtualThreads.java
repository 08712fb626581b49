package outbox.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Listeners that wait: two thousand at once on virtual threads, in a JVM that has them. */
final class VirtualThreads implements Scenario {
  private static final int NEEDED_JDK = 21;
  private static final double LIMIT = 50_000;

  @Override
  public String name() {
    return "virtual-threads";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    Path jdk = jdk();
    if (jdk == null) {
      results.note(
          "virtual-threads needs JDK 21+: run with one, or set OUTBOX_JDK21_HOME; not measured.");
      return;
    }
    int seconds = lab.mode().pick(6, 3, 1);
    String[] answer = child(jdk, seconds).split(" ", 3);
    double rate = Double.parseDouble(answer[0]);
    results
        .table(
            "2,000 listeners waiting 5 ms each, virtual threads, store in memory",
            "JDK",
            "events/s",
            "CPU µs per event")
        .row(answer[2], String.format("%,.0f", rate), answer[1]);
    String name = "5 ms listeners, 2,000 at once on virtual threads";
    results.gate(new Gate(name, rate, true, LIMIT, "events/s"));
  }

  private static @Nullable Path jdk() {
    if (Runtime.version().feature() >= NEEDED_JDK) {
      return Path.of(System.getProperty("java.home"));
    }
    String home = System.getenv("OUTBOX_JDK21_HOME");
    return home == null || home.isBlank() ? null : Path.of(home);
  }

  private static String child(Path jdk, int seconds) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                jdk.resolve("bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                VirtualThreadsChild.class.getName(),
                String.valueOf(seconds))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the JVM with virtual threads failed: " + output);
    }
    return output;
  }
}
