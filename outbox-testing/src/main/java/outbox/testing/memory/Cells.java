package outbox.testing.memory;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table beside the events: values by key, each with its committed state and with the transaction
 * that has locked it. Called inside a session's statement, and so under the table's lock.
 */
final class Cells<V> {
  private final Rows rows;
  private final Map<String, Cell<V>> byKey = new TreeMap<>();

  Cells(Rows rows) {
    this.rows = rows;
  }

  /** What the session sees, without waiting. */
  @Nullable V read(Session session, String key) {
    Cell<V> cell = byKey.get(key);
    return cell == null ? null : cell.seenBy(session);
  }

  /** All that the session sees, by key. */
  List<V> all(Session session) {
    return byKey.values().stream()
        .flatMap(cell -> Stream.ofNullable(cell.seenBy(session)))
        .toList();
  }

  /** What is there once no other session holds it; no other changes it until the session's end. */
  @Nullable V lock(Session session, String key) throws SQLException {
    Cell<V> cell = byKey.computeIfAbsent(key, any -> new Cell<>());
    rows.awaitRelease(key, () -> cell.holder == null || cell.holder == session);
    if (cell.holder == null) {
      cell.holder = session;
      cell.current = cell.committed;
      session.onEnd(() -> release(cell), () -> commit(cell));
    }
    return cell.current;
  }

  boolean isLockedByOthers(Session session, String key) {
    Cell<V> cell = byKey.get(key);
    return cell != null && cell.holder != null && cell.holder != session;
  }

  void write(Session session, String key, @Nullable V value) throws SQLException {
    V before = lock(session, key);
    Cell<V> cell = byKey.computeIfAbsent(key, any -> new Cell<>());
    cell.current = value;
    session.onUndo(() -> cell.current = before);
  }

  private void commit(Cell<V> cell) {
    cell.committed = cell.current;
    release(cell);
  }

  private void release(Cell<V> cell) {
    cell.holder = null;
    rows.released();
  }

  private static final class Cell<V> {
    private @Nullable V committed;
    private @Nullable V current;
    private @Nullable Session holder;

    private @Nullable V seenBy(Session session) {
      return holder == session ? current : committed;
    }
  }
}
