package outbox.testing.memory;

import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.spi.OrderedEvents.Sweep;

/**
 * The places that ordering keys have given to their events. Called inside a session's statement,
 * and so under the table's lock.
 */
final class InMemoryPlaces {
  private final Rows rows;
  private final Cells<Last> lasts;
  private final Cells<String> ids;

  /** The events of all places before have ended for good. */
  private final Map<String, Long> floors = new HashMap<>();

  /**
   * How far a key is.
   *
   * @param place the last one that it has given
   * @param ended the events of all places up to this one have ended
   * @param idleSince since when these are the same
   */
  private record Last(String key, long place, long ended, @Nullable Instant idleSince) {
    boolean isIdle() {
      return place == ended;
    }
  }

  InMemoryPlaces(Rows rows) {
    this.rows = rows;
    this.lasts = new Cells<>(rows);
    this.ids = new Cells<>(rows);
  }

  /**
   * Gives the event the next place, once no other transaction holds the key; the key is locked
   * until the transaction ends.
   *
   * @return whether all events before it have ended
   */
  boolean take(Session session, String key, String eventId) throws SQLException {
    Last locked = lasts.lock(session, key);
    Last last = locked == null ? new Last(key, 0, 0, null) : locked;
    long place = last.place + 1;
    lasts.write(session, key, new Last(key, place, last.ended, null));
    ids.write(session, cell(key, place), eventId);
    return last.isIdle();
  }

  /** The first event of the key that has not ended. */
  Rows.@Nullable Row first(Session session, String key) {
    Last last = lasts.read(session, key);
    if (last == null) {
      return null;
    }
    for (long place = floor(last); place <= last.place; place++) {
      String id = ids.read(session, cell(key, place));
      Rows.Row row = id == null ? null : rows.find(id);
      StoredEvent state = row == null ? null : row.seenBy(session);
      if (row != null && state != null && state.status() != EventStatus.DONE) {
        return row;
      }
      if (id != null && (row == null || row.writer() == null) && place == floor(last)) {
        floors.put(key, place + 1);
      }
    }
    return null;
  }

  /** Whether another event of the key has a later place. */
  boolean isFollowed(Session session, String key, String eventId) {
    Last last = lasts.read(session, key);
    return last != null && !eventId.equals(ids.read(session, cell(key, last.place)));
  }

  /** All events of the key have ended; a key that a transaction holds is left alone. */
  void idle(Session session, String key, Instant now) throws SQLException {
    Last last = lasts.read(session, key);
    if (last != null && !last.isIdle() && !lasts.isLockedByOthers(session, key)) {
      for (long place = floor(last); place <= last.place; place++) {
        ids.write(session, cell(key, place), null);
      }
      lasts.write(session, key, new Last(key, last.place, last.place, now));
      floors.put(key, last.place + 1);
    }
  }

  void leave(Session session, String key, String eventId) throws SQLException {
    Last last = lasts.read(session, key);
    for (long place = last == null ? 1 : floor(last);
        last != null && place <= last.place;
        place++) {
      if (eventId.equals(ids.read(session, cell(key, place)))) {
        ids.write(session, cell(key, place), null);
      }
    }
  }

  Sweep sweep(Session session, @Nullable String after, int limit, Instant before)
      throws SQLException {
    List<Last> page =
        lasts.all(session).stream()
            .filter(last -> after == null || last.key.compareTo(after) > 0)
            .limit(limit)
            .toList();
    for (Last last : page) {
      boolean old = last.idleSince != null && last.idleSince.isBefore(before);
      if (old && !lasts.isLockedByOthers(session, last.key)) {
        lasts.write(session, last.key, null);
        floors.remove(last.key);
      }
    }
    return new Sweep(
        page.stream().filter(last -> !last.isIdle()).map(Last::key).toList(),
        page.size() < limit ? null : page.get(page.size() - 1).key);
  }

  private long floor(Last last) {
    return Math.max(last.ended + 1, floors.getOrDefault(last.key, 1L));
  }

  private static String cell(String key, long place) {
    return key + '\0' + String.format("%019d", place);
  }
}
