package outbox.admin;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import outbox.admin.metrics.MetricsSnapshot;

/** How a database was lately: the last {@value #MAX_POINTS} snapshots. Thread-safe. */
final class History {
  private static final int MAX_POINTS = 360;

  private final Deque<MetricsSnapshot> snapshots = new ArrayDeque<>();

  /** Adds one that is newer than all; one that was overtaken comes too late. */
  synchronized void add(MetricsSnapshot snapshot) {
    MetricsSnapshot last = snapshots.peekLast();
    if (last != null && !snapshot.at().isAfter(last.at())) {
      return;
    }
    snapshots.addLast(snapshot);
    if (snapshots.size() > MAX_POINTS) {
      snapshots.removeFirst();
    }
  }

  synchronized List<MetricsSnapshot> all() {
    return List.copyOf(snapshots);
  }
}
