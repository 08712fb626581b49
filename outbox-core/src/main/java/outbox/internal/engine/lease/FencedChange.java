package outbox.internal.engine.lease;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import outbox.internal.util.Pause;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.RowState;

/**
 * A fenced change of one event that must not be taken for refused only because it skipped a locked
 * row: a competing claim may hold the lock for a moment before it sees that the row is not free,
 * and a transaction that brings a duplicate of an inbox's message until it ends.
 */
public final class FencedChange {
  private static final int BRIEF_TRIES = 20;
  private static final Duration BRIEF_PAUSE = Duration.ofMillis(5);
  private static final Duration PAUSE = Duration.ofMillis(25);

  private FencedChange() {}

  /** What came of it. */
  public enum Result {
    CHANGED,
    /** The event is no longer the owner's. */
    LOST,
    /** It still is, but another transaction has its row. */
    LOCKED
  }

  /** Tries for a moment, and from then on for as long as {@code patient} says. */
  public static Result apply(
      LeasedEventStore store,
      Connection connection,
      String owner,
      String eventId,
      BooleanSupplier patient,
      Supplier<Set<String>> change) {
    for (int tries = 1; change.get().isEmpty(); tries++) {
      RowState row = store.inspect(connection, List.of(eventId)).get(eventId);
      if (row == null || !row.status().isLive() || !owner.equals(row.owner())) {
        return Result.LOST;
      }
      boolean brief = tries < BRIEF_TRIES;
      if (!brief && !patient.getAsBoolean()) {
        return Result.LOCKED;
      }
      Pause.of(brief ? BRIEF_PAUSE : PAUSE);
    }
    return Result.CHANGED;
  }
}
