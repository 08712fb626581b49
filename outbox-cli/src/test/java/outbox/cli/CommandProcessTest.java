package outbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.DeadLetterFilter;

/** The commands in a process of their own, on PostgreSQL. */
@Tag("slow")
class CommandProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static TestDatabase database;
  private static Shop shop;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    database = TestDatabase.create(Product.POSTGRES_NEWEST);
    shop = Shop.at(database.url(), "postgres");
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void looksAndReplaysTenThousandWithProgress() throws Exception {
    shop.dead("mail", 10_000, "timeout");
    Run status = new Run("status").ended();
    assertThat(status.out()).contains("(PostgreSQL)", "(degraded from 1)", "dead rows", "mail");
    assertThat(status.exit()).isEqualTo(status.out().contains("UNHEALTHY") ? 1 : 0);
    Run top = new Run("top", "--count", "2", "--interval", "200ms").ended();
    assertThat(top.out().lines()).hasSize(2);
    assertThat(new Run("list", "--status", "dead", "--limit", "700").ended().out().lines())
        .hasSize(701);

    Run replay =
        new Run("replay", "--dead", "--yes", "--rate", "1000000", "--max-backlog", "20000").ended();
    assertThat(replay.exit()).as(replay.toString()).isZero();
    assertThat(replay.out()).isEqualTo("replayed 10,000 messages\n");
    assertThat(replay.err())
        .contains("replay: 1,000 of 10,000 (10%), ", "replay: 10,000 of 10,000 (100%), ");
    assertThat(dead()).isZero();
    shop.done("mail", 0);
    Run purge = new Run("purge", "--done", "0s", "--yes", "--json").ended();
    assertThat(purge.out()).containsPattern("\"exact\":false,\"changed\":1\\d000}");
    assertThat(new Run("list").ended().out()).isEmpty();
  }

  @Test
  void ctrlCStopsBetweenTwoBatchesAndSaysHowFarItCame() throws Exception {
    shop.dead("letter", 4_000, "timeout");
    Run replay = new Run("replay", "--dead", "--topic", "letter", "--yes", "--rate", "500");
    await().atMost(PATIENCE).until(() -> replay.err().contains("of 4,000") || replay.hasEnded());
    assertThat(replay.hasEnded()).as(replay.toString()).isFalse();
    replay.interrupt();
    assertThat(replay.ended().exit()).isEqualTo(130);
    assertThat(replay.err()).contains("stopping after the batch under way");
    assertThat(replay.out()).containsPattern("replayed [\\d,]+ messages before it was stopped");
    int replayed = Integer.parseInt(replay.out().replaceAll("\\D", ""));
    assertThat(replayed).isBetween(500, 3_500);
    assertThat(dead()).isEqualTo(4_000 - replayed);
    shop.outbox.deadLetters().discard(DeadLetterFilter.all(), "test", outbox.Bulk.by("test"));
    shop.done("letter", 0);
  }

  private static int dead() {
    return shop.outbox.deadLetters().count(DeadLetterFilter.all()).number();
  }

  /** One run of the command, without a terminal. */
  private final class Run {
    private final Path out;
    private final Path err;
    private final Process process;

    Run(String... arguments) throws IOException {
      out = Files.createTempFile(directory, "out", "");
      err = Files.createTempFile(directory, "err", "");
      List<String> command = new ArrayList<>(heedingCtrlC());
      command.addAll(OwnProcess.command(List.of(arguments)));
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.environment().put("OUTBOX_URL", shop.url);
      builder.environment().put("OUTBOX_USER", "postgres");
      builder.environment().put("OUTBOX_PASSWORD", "any");
      process = builder.start();
    }

    /** A build in the background of a script ignores it, and what it starts inherits that. */
    private static List<String> heedingCtrlC() throws IOException {
      Path status = Path.of("/proc/self/status");
      Matcher ignored =
          Pattern.compile("SigIgn:\\s+\\p{XDigit}*([2367ABEFabef])\\b")
              .matcher(Files.exists(status) ? Files.readString(status) : "");
      return ignored.find() ? List.of("env", "--default-signal=INT") : List.of();
    }

    void interrupt() throws Exception {
      new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    }

    Run ended() throws InterruptedException {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return this;
    }

    boolean hasEnded() {
      return !process.isAlive();
    }

    int exit() {
      return process.exitValue();
    }

    String out() throws IOException {
      return Files.readString(out, UTF_8);
    }

    String err() throws IOException {
      return Files.readString(err, UTF_8);
    }

    @Override
    public String toString() {
      try {
        return out() + err();
      } catch (IOException e) {
        return e.toString();
      }
    }
  }
}
