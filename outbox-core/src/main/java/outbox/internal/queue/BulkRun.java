package outbox.internal.queue;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.internal.util.Pause;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;

/**
 * A walk over the dead letters of a filter, page by page. What died after its start is none of its
 * business, so it ends although letters may die again behind it. Letters that another transaction
 * had locked are looked for again, by another walk over what is left, for as long as one may hope.
 */
final class BulkRun {
  private static final Logger LOG = System.getLogger(DeadLetters.class.getName());
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final int MAX_WALKS = 30;
  private static final Duration LOOK = Duration.ofMillis(100);

  private final ConnectionProvider connections;
  private final EndedEventStore store;
  private final Bulk bulk;
  private long changed;
  private boolean stopped;

  BulkRun(ConnectionProvider connections, EndedEventStore store, Bulk bulk) {
    this.connections = connections;
    this.store = store;
    this.bulk = requireNonNull(bulk, "bulk");
  }

  long over(DeadLetterFilter filter, Change change, Runnable afterBatch) {
    Instant start = connections.inAutoCommit(store::now);
    DeadLetterFilter dead = endedBefore(requireNonNull(filter, "filter"), start);
    boolean again = true;
    for (int walks = 1; again && walks <= MAX_WALKS; walks++) {
      int passed = walk(dead, start, change, afterBatch);
      again = passed > 0 && !stopped;
      if (again && walks == MAX_WALKS) {
        LOG.log(
            Level.WARNING,
            "dead letters passed over, others had them locked count={0}; run it again",
            passed);
      } else if (again) {
        Pause.of(LOOK.multipliedBy(walks));
        again = !toldToStop();
      }
    }
    return changed;
  }

  /** Returns how many letters were listed and could not be changed. */
  private int walk(DeadLetterFilter dead, Instant start, Change change, Runnable afterBatch) {
    int passed = 0;
    Position after = null;
    boolean more = !toldToStop();
    while (more) {
      long begun = System.nanoTime();
      List<DeadLetter> page = page(dead, after);
      if (page.isEmpty()) {
        return passed;
      }
      List<String> ids = page.stream().map(letter -> letter.event().eventId()).toList();
      int done = connections.inAutoCommit(c -> change.to(c, ids, start));
      changed += done;
      passed += ids.size() - done;
      after = page.get(page.size() - 1).position();
      stopped = !bulk.progress().test(changed) || toldToStop();
      more = !stopped && page.size() == bulk.batchSize();
      if (more) {
        afterBatch.run();
        keepPace(begun, page.size());
        stopped = toldToStop();
        more = !stopped;
      }
    }
    return passed;
  }

  private boolean toldToStop() {
    return bulk.stop().getAsBoolean() || Thread.currentThread().isInterrupted();
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

  /** The workers that handle what was replayed may be slow, or not there at all. */
  void awaitBacklog() {
    long end = System.nanoTime() + LONGEST_WAIT.toNanos();
    while (backlog() > bulk.maxBacklog() && System.nanoTime() - end < 0 && !toldToStop()) {
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
