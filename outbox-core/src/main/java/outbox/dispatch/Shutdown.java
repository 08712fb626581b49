package outbox.dispatch;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import outbox.OutboxConfig;
import outbox.util.Deadline;

/**
 * The time that a shutdown has: {@code closeTimeout} in all, and before that up to {@code
 * drainTimeout} for what is queued, as long as the database answers.
 */
final class Shutdown {
  /** A drain that is over by then needs no database that answers. */
  private static final Duration BRIEF = Duration.ofMillis(200);

  private static final Duration SLICE = Duration.ofMillis(50);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Duration closeTimeout;
  private final Deadline drain;
  private final Deadline drainWithoutDatabase;
  private Deadline end;

  Shutdown(OutboxConfig config) {
    this.closeTimeout = config.getCloseTimeout();
    this.drain = Deadline.in(config.getDrainTimeout());
    this.drainWithoutDatabase = Deadline.in(closeTimeout.dividedBy(2));
    this.end = Deadline.in(closeTimeout);
  }

  /**
   * Lets the workers work off what is queued.
   *
   * @param answers whether the database answers; first asked when the drain takes longer
   */
  void workOff(Crew crew, BooleanSupplier answers) throws InterruptedException {
    crew.closeLanes();
    if (crew.isWorker() || crew.awaitEnd(drain.rest(BRIEF).toNanos())) {
      return;
    }
    boolean answering = true;
    while (!drain.isOver() && (answering || !drainWithoutDatabase.isOver())) {
      if (crew.awaitEnd(drain.rest(SLICE).toNanos())) {
        break;
      }
      answering = answers.getAsBoolean();
    }
    if (answering && drainWithoutDatabase.isOver()) {
      end = end.orLater(Deadline.in(closeTimeout));
    }
  }

  /** What is left for all that comes after the drain. */
  Deadline end() {
    return end;
  }

  /** What something that was told to stop gets to come to its end: a part of what is left. */
  Deadline grace() {
    return Deadline.in(end.rest(GRACE));
  }
}
