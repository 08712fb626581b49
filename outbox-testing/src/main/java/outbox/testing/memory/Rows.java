package outbox.testing.memory;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;

/**
 * The table: each row with its committed state, the state that an open transaction gave it, and
 * that transaction's hold on it. Everything but the lock itself is touched under the lock only.
 */
final class Rows {
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);
  private static final Comparator<Row> BY_AVAILABILITY =
      Comparator.comparing(Row::indexedAt).thenComparing(row -> row.id);

  final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private final Map<String, Row> byId = new HashMap<>();
  private final NavigableSet<Row> live = new TreeSet<>(BY_AVAILABILITY);
  private final Map<EventStatus, Integer> counts = new EnumMap<>(EventStatus.class);

  /** Looks at the table from outside of any transaction. */
  <T> T locked(Supplier<T> look) {
    lock.lock();
    try {
      return look.get();
    } finally {
      lock.unlock();
    }
  }

  /** Live rows by availability, in the state that their writer sees. */
  Collection<Row> live() {
    return Collections.unmodifiableSet(live);
  }

  Collection<Row> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  /** All rows as committed, by id. */
  List<StoredEvent> committed() {
    return byId.values().stream()
        .flatMap(row -> Stream.ofNullable(row.committed))
        .sorted(Comparator.comparing(row -> row.event().eventId()))
        .toList();
  }

  @Nullable Row find(String id) {
    return byId.get(id);
  }

  /** The row of this id for an insert, which waits while another transaction inserts the same. */
  Row slot(String id, Session session) throws SQLException {
    Row row = byId.computeIfAbsent(id, Row::new);
    while (!row.accessibleTo(session)) {
      awaitRelease(row, session);
      row = byId.computeIfAbsent(id, Row::new);
    }
    return row;
  }

  /** Waits as a plain UPDATE does for the row's lock. */
  void awaitRelease(Row row, Session session) throws SQLException {
    awaitRelease(row.id, () -> row.accessibleTo(session));
  }

  /** Waits until a transaction has ended that held the lock of something. */
  void awaitRelease(String id, BooleanSupplier free) throws SQLException {
    long nanos = LOCK_TIMEOUT.toNanos();
    while (!free.getAsBoolean()) {
      try {
        nanos = released.awaitNanos(nanos);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SQLException("interrupted while waiting for the lock of " + id, "57014", e);
      }
      if (nanos <= 0) {
        throw new SQLTransientException(
            "lock of " + id + " not released within " + LOCK_TIMEOUT, "55P03");
      }
    }
  }

  void released() {
    released.signalAll();
  }

  void write(Row row, @Nullable StoredEvent state, @Nullable Session writer) {
    if (row.indexedAt != null) {
      live.remove(row);
      row.indexedAt = null;
    }
    row.current = state;
    row.writer = writer;
    if (state != null && state.status().isClaimable()) {
      row.indexedAt = state.availableAt();
      live.add(row);
    }
    if (writer == null) {
      forgetIfGone(row);
      released.signalAll();
    }
  }

  void commit(Row row) {
    if (row.committed != null) {
      counts.merge(row.committed.status(), -1, Integer::sum);
    }
    if (row.current != null) {
      counts.merge(row.current.status(), 1, Integer::sum);
    }
    row.committed = row.current;
    row.writer = null;
    forgetIfGone(row);
    released.signalAll();
  }

  int count(EventStatus status) {
    return counts.getOrDefault(status, 0);
  }

  private void forgetIfGone(Row row) {
    if (row.current == null && row.committed == null) {
      byId.remove(row.id, row);
    }
  }

  /** One row; {@code writer} is the transaction that changed it and has not ended. */
  static final class Row {
    final String id;
    private @Nullable StoredEvent committed;
    private @Nullable StoredEvent current;
    private @Nullable Session writer;
    private @Nullable Instant indexedAt;

    private Row(String id) {
      this.id = id;
    }

    boolean accessibleTo(Session session) {
      return writer == null || writer == session;
    }

    @Nullable StoredEvent seenBy(Session session) {
      return writer == session ? current : committed;
    }

    @Nullable StoredEvent committed() {
      return committed;
    }

    @Nullable Session writer() {
      return writer;
    }

    Instant indexedAt() {
      if (indexedAt == null) {
        throw new IllegalStateException("row " + id + " is not indexed");
      }
      return indexedAt;
    }
  }
}
