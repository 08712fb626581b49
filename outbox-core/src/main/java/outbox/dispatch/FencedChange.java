package outbox.dispatch;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.RowState;
import outbox.util.Pause;

/**
 * A fenced change of one event that must not be taken for refused only because it skipped a locked
 * row: a competing claim may hold the lock for a moment before it sees that the row is not free.
 */
final class FencedChange {
  private static final int MAX_TRIES = 20;
  private static final Duration PAUSE = Duration.ofMillis(5);

  private FencedChange() {}

  /** Returns whether the event was changed; false means that the owner has lost it. */
  static boolean apply(
      LeasedEventStore store,
      Connection connection,
      String owner,
      String eventId,
      Supplier<Set<String>> change) {
    for (int tries = 1; change.get().isEmpty(); tries++) {
      RowState row = store.inspect(connection, List.of(eventId)).get(eventId);
      boolean held = row != null && row.status().isLive() && owner.equals(row.owner());
      if (!held || tries == MAX_TRIES) {
        return false;
      }
      Pause.of(PAUSE);
    }
    return true;
  }
}
