package outbox.internal.engine.lanes;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.DeliveryBatch;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.delivery.Work;

/**
 * A queue in which stores take turns, so that the one event of a quiet store does not wait behind
 * the thousand of a busy one; of each store, first in, first out. Guarded by the lanes' lock.
 */
final class FairQueue {
  private static final int NOT_ASKED = -1;

  private final Map<Origin, Line> lines = new HashMap<>();
  private final Deque<Line> turns = new ArrayDeque<>();
  private @Nullable Line recent;
  private int size;

  /** What one store has waiting. */
  private static final class Line {
    private final Origin party;
    private final Deque<Work> works = new ArrayDeque<>();
    private int events;
    private int tellAt = NOT_ASKED;

    Line(Origin party) {
      this.party = party;
    }
  }

  /** Adds a delivery, or a batch with so many of them; it may grow until it is taken. */
  void add(Work work, int events) {
    Line line = lineOf(work.origin());
    line.works.add(work);
    grown(line, events);
    if (line.works.size() == 1) {
      turns.add(line);
    }
  }

  /** A batch that waits here has grown by one. */
  void grown(Work work) {
    grown(lineOf(work.origin()), 1);
  }

  private void grown(Line line, int events) {
    line.events += events;
    size += events;
  }

  /** Mostly the same as before: there is one store only, or a claim brings many of one. */
  private Line lineOf(Origin party) {
    Line line = recent;
    if (line == null || line.party != party) {
      line = lines.computeIfAbsent(party, Line::new);
      recent = line;
    }
    return line;
  }

  Work remove() {
    Line line = turns.remove();
    Work work = line.works.remove();
    grown(line, -(work instanceof DeliveryBatch batch ? batch.size() : 1));
    if (!line.works.isEmpty()) {
      turns.add(line);
    }
    return work;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /**
   * Whether so many more of a party leave room for those of others: all that have something waiting
   * get as much, and one more could. Who has nothing waiting always may.
   */
  boolean hasShare(Origin party, int more, int capacity) {
    Line line = lines.get(party);
    if (line == null || line.events == 0) {
      return true;
    }
    int present = line.events;
    boolean fits = present + more <= capacity / (turns.size() + 1);
    if (!fits && line.tellAt == NOT_ASKED) {
      line.tellAt = present / 2;
    }
    return fits;
  }

  /** Whether a party that was refused its share has got half way to nothing; true once. */
  boolean isShareFree(Origin party) {
    Line line = lineOf(party);
    boolean free = line.events <= line.tellAt;
    line.tellAt = free ? NOT_ASKED : line.tellAt;
    return free;
  }

  /** Takes out what is meant, and forgets those that have nothing left. */
  List<Delivery> removeIf(Predicate<Delivery> which) {
    List<Delivery> removed = new ArrayList<>();
    for (Line line : lines.values()) {
      int before = removed.size();
      line.works.removeIf(work -> isEmptied(work, which, removed));
      grown(line, before - removed.size());
    }
    turns.removeIf(line -> line.works.isEmpty());
    lines.values().removeIf(line -> line.works.isEmpty());
    recent = null;
    return removed;
  }

  private static boolean isEmptied(Work work, Predicate<Delivery> which, List<Delivery> removed) {
    if (work instanceof DeliveryBatch batch) {
      batch.removeIf(which, removed);
      return batch.size() == 0;
    }
    Delivery delivery = (Delivery) work;
    return which.test(delivery) && removed.add(delivery);
  }
}
