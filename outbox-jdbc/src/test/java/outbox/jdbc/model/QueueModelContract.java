package outbox.jdbc.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testing.Spec;

/**
 * Random operations by three owners, the database's time going on and now and then back; after each
 * of them answer and table must be the model's. New seeds each time. A failure names its seed and
 * the few steps that it takes; {@code -Doutbox.model.seed} plays a seed again, and {@code
 * -Doutbox.model.runs} says how many there are.
 */
@Timeout(900)
abstract class QueueModelContract {
  private static final int STEPS = 250;
  private static final int RUNS = Integer.getInteger("outbox.model.runs", 12);
  private static final Duration LONGEST_SHORTENING = Duration.ofMinutes(1);

  private final Logger log = Logger.getLogger("outbox");

  abstract OutboxQueue open();

  /** It would be a line for each of many thousand messages. */
  @BeforeEach
  void silenceLog() {
    log.setLevel(Level.OFF);
  }

  @AfterEach
  void restoreLog() {
    log.setLevel(null);
  }

  @Test
  @Spec({"OBX-013", "OBX-020", "OBX-024", "OBX-032", "OBX-038", "OBX-043", "OBX-046"})
  void theQueueDoesWhatItsModelDoes() {
    try (OutboxQueue queue = open()) {
      seeds().forEach(seed -> check(queue, seed));
    }
  }

  private static LongStream seeds() {
    Long given = Long.getLong("outbox.model.seed");
    return given == null
        ? new Random().ints(RUNS, 0, Integer.MAX_VALUE).asLongStream()
        : LongStream.of(given);
  }

  private void check(OutboxQueue queue, long seed) {
    boolean deletesWhenDone = seed % 2 == 0;
    RandomSteps dice = new RandomSteps(seed);
    Comparison run = new Comparison(queue, deletesWhenDone).play(STEPS, dice::next);
    if (run.differs()) {
      Comparison shortest = shorten(queue, deletesWhenDone, run);
      throw new AssertionError(
          String.format(
              "seed %d, step %d. Again: mvn -pl outbox-jdbc -am test -Dtest=%s"
                  + " -Dsurefire.failIfNoSpecifiedTests=false -Doutbox.model.seed=%d%n%s",
              seed, run.steps().size(), getClass().getSimpleName(), seed, shortest.report()));
    }
  }

  /** Leaves out whatever the difference does not need, in ever smaller pieces. */
  private static Comparison shorten(OutboxQueue queue, boolean deletes, Comparison failed) {
    long deadline = System.nanoTime() + LONGEST_SHORTENING.toNanos();
    Comparison shortest = failed;
    for (int size = failed.steps().size() / 2; size > 0; size /= 2) {
      int from = 0;
      while (from + size < shortest.steps().size() && System.nanoTime() - deadline < 0) {
        List<Step> fewer = new ArrayList<>(shortest.steps());
        fewer.subList(from, from + size).clear();
        Comparison tried = new Comparison(queue, deletes).play(fewer);
        if (tried.differs()) {
          shortest = tried;
        } else {
          from += size;
        }
      }
    }
    return shortest;
  }
}
