package outbox.jdbc.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * Random operations on the product and on its model; after each of them answer and table must be
 * the model's. New seeds each time. A failure names its seed and the few steps that it takes;
 * {@code -Doutbox.model.seed} plays a seed again, and {@code -Doutbox.model.runs} says how many
 * there are.
 */
@Timeout(900)
abstract class ModelContract<R, M extends Machine<R>> {
  private static final Duration LONGEST_SHORTENING = Duration.ofMinutes(1);

  private final Logger log = Logger.getLogger("outbox");

  /** Product and model, both empty; the seed may decide how they are set up. */
  abstract Comparison<R, M> begin(long seed);

  /** What to do next by this seed, as the model stands. */
  abstract Function<M, Step<M>> dice(long seed);

  /** It would be a line for each of many thousand messages. */
  @BeforeEach
  void silenceLog() {
    log.setLevel(Level.OFF);
  }

  @AfterEach
  void restoreLog() {
    log.setLevel(null);
  }

  /** Plays so many seeds of so many steps each. */
  final void playRandomly(int runs, int steps) {
    seeds(Integer.getInteger("outbox.model.runs", runs)).forEach(seed -> check(seed, steps));
  }

  private static LongStream seeds(int runs) {
    Long given = Long.getLong("outbox.model.seed");
    return given == null
        ? new Random().ints(runs, 0, Integer.MAX_VALUE).asLongStream()
        : LongStream.of(given);
  }

  private void check(long seed, int steps) {
    Comparison<R, M> run = begin(seed).play(steps, dice(seed));
    if (run.differs()) {
      Comparison<R, M> shortest = shorten(seed, run);
      throw new AssertionError(
          String.format(
              "seed %d, step %d. Again: mvn -pl outbox-jdbc -am test -Dtest=%s"
                  + " -Dsurefire.failIfNoSpecifiedTests=false -Doutbox.model.seed=%d%n%s",
              seed, run.steps().size(), getClass().getSimpleName(), seed, shortest.report()));
    }
  }

  /** Leaves out whatever the difference does not need, in ever smaller pieces. */
  private Comparison<R, M> shorten(long seed, Comparison<R, M> failed) {
    long deadline = System.nanoTime() + LONGEST_SHORTENING.toNanos();
    Comparison<R, M> shortest = failed;
    for (int size = failed.steps().size() / 2; size > 0; size /= 2) {
      int from = 0;
      while (from + size < shortest.steps().size() && System.nanoTime() - deadline < 0) {
        List<Step<M>> fewer = new ArrayList<>(shortest.steps());
        fewer.subList(from, from + size).clear();
        Comparison<R, M> tried = begin(seed).play(fewer);
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
