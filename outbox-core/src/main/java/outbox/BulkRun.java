package outbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;
import outbox.util.Pause;

/**
 * One walk over the dead letters of a filter, page by page and each letter once. What died after
 * its start is none of its business, so it ends although letters may die again behind it.
 */
final class BulkRun {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofMillis(100);

  private final ConnectionProvider connections;
  private final EndedEventStore store;
  private final Bulk bulk;

  BulkRun(ConnectionProvider connections, EndedEventStore store, Bulk bulk) {
    this.connections = connections;
    this.store = store;
    this.bulk = requireNonNull(bulk, "bulk");
  }

  long over(DeadLetterFilter filter, Change change, Runnable afterBatch) {
    Instant start = connections.inAutoCommit(store::now);
    DeadLetterFilter dead = endedBefore(requireNonNull(filter, "filter"), start);
    long changed = 0;
    Position after = null;
    boolean more = true;
    while (more && !Thread.currentThread().isInterrupted()) {
      long begun = System.nanoTime();
      List<DeadLetter> page = page(dead, after);
      if (page.isEmpty()) {
        break;
      }
      List<String> ids = page.stream().map(letter -> letter.event().eventId()).toList();
      changed += connections.inAutoCommit(c -> change.to(c, ids, start));
      after = page.get(page.size() - 1).position();
      more = bulk.progress().test(changed) && page.size() == bulk.batchSize();
      if (more) {
        afterBatch.run();
        keepPace(begun, page.size());
      }
    }
    return changed;
  }

  private List<DeadLetter> page(DeadLetterFilter filter, @Nullable Position after) {
    return connections.inAutoCommit(c -> store.deadLetters(c, filter, after, bulk.batchSize()));
  }

  private static DeadLetterFilter endedBefore(DeadLetterFilter filter, Instant start) {
    Instant given = filter.diedBefore();
    return given != null && given.isBefore(start) ? filter : filter.diedBefore(start);
  }

  private void keepPace(long begun, int count) {
    long least = Duration.ofSeconds(count).toNanos() / bulk.perSecond();
    long rest = begun + least - System.nanoTime();
    if (rest > 0) {
      Pause.of(Duration.ofNanos(rest));
    }
  }

  /** Whoever handles what was replayed may be slow, or not there at all. */
  void awaitBacklog() {
    long end = System.nanoTime() + LONGEST_WAIT.toNanos();
    while (backlog() > bulk.maxBacklog()
        && System.nanoTime() - end < 0
        && !Thread.currentThread().isInterrupted()) {
      Pause.of(LOOK);
    }
  }

  private int backlog() {
    return connections.inAutoCommit(c -> store.backlog(c, bulk.maxBacklog() + 1));
  }

  /** Changes the letters of a page that died before the start; returns how many. */
  @FunctionalInterface
  interface Change {
    int to(Connection connection, List<String> ids, Instant start);
  }
}
