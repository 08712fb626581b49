package outbox.internal.queue;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import outbox.OutboxMessage;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.OrderedEvents;
import outbox.spi.OrderedEvents.Sweep;

/**
 * Starts the next messages of ordering keys when workers of the application end messages by hand.
 * Remembers the keys of what was claimed here; what was claimed in another process is found by a
 * claim that gets nothing, or by an engine. Thread-safe.
 */
final class QueueOrder {
  private static final int MAX_REMEMBERED = 10_000;
  private static final int SWEEP_LIMIT = 500;
  private static final Duration SWEEP_PERIOD = Duration.ofSeconds(5);
  private static final Duration KEPT_IDLE = Duration.ofMinutes(1);

  private final ConnectionProvider connections;
  private final @Nullable OrderedEvents ordered;
  private final Runnable onStart;
  private final AtomicLong nextSweep = new AtomicLong(System.nanoTime());
  private final Map<String, String> keys = new LinkedHashMap<>();
  private volatile @Nullable String sweptTo;

  /**
   * The order of a queue.
   *
   * @param onStart runs when messages may have become claimable
   */
  QueueOrder(ConnectionProvider connections, LeasedEventStore store, Runnable onStart) {
    this.connections = connections;
    this.ordered = store.ordered();
    this.onStart = onStart;
  }

  void claimed(List<OutboxMessage> messages) {
    for (OutboxMessage message : messages) {
      String key = message.envelope().orderingKey();
      if (key != null) {
        synchronized (keys) {
          keys.put(message.id().value(), key);
          if (keys.size() > MAX_REMEMBERED) {
            keys.remove(keys.keySet().iterator().next());
          }
        }
      }
    }
  }

  /** These messages have ended, or may have. */
  void ended(Collection<String> ids) {
    Set<String> affected = new LinkedHashSet<>();
    synchronized (keys) {
      if (!keys.isEmpty()) {
        ids.stream().map(keys::remove).filter(Objects::nonNull).forEach(affected::add);
      }
    }
    if (ordered != null && !affected.isEmpty()) {
      connections.inAutoCommit(connection -> ordered.advance(connection, null, affected));
      onStart.run();
    }
  }

  /**
   * Looks at some keys now and then, for those that a process has left behind.
   *
   * @return whether another claim may get something
   */
  boolean sweep(Connection connection) {
    long due = nextSweep.get();
    long now = System.nanoTime();
    if (ordered == null
        || now - due < 0
        || !nextSweep.compareAndSet(due, now + SWEEP_PERIOD.toNanos())) {
      return false;
    }
    Sweep sweep = ordered.sweep(connection, sweptTo, SWEEP_LIMIT, KEPT_IDLE);
    sweptTo = sweep.next();
    if (sweep.busy().isEmpty()) {
      return false;
    }
    ordered.advance(connection, null, sweep.busy());
    return true;
  }
}
