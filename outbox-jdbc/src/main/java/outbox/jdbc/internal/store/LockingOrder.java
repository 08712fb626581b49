package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.OrderedEvents.Advance;
import outbox.spi.OrderedEvents.HeldKey;
import outbox.spi.StoreException;

/**
 * For databases whose statements change one table and return nothing: reads the places, locks what
 * can be locked and changes it by id, in one transaction.
 */
final class LockingOrder extends Order {
  /** What is needed beside the statements of every order. */
  static final Set<String> STATEMENTS =
      Set.of(
          "open_place",
          "read_place",
          "places",
          "lock_waiting",
          "start",
          "pass_places",
          "lock_idle",
          "mark_idle",
          "empty_places",
          "lock_forgotten");

  /** What is needed where an INSERT cannot update the row that is there. */
  static final String MOVE = "move_place";

  private static final int MAX_TRIES = 5;

  private final Statements events;
  private final EventRows rows;

  LockingOrder(Statements sql, Statements events, EventRows rows) {
    super(sql);
    this.events = events;
    this.rows = rows;
  }

  @Override
  public boolean insert(Connection conn, EventEnvelope event, String key, @Nullable Lease lease) {
    return inTransaction(
        conn,
        () -> {
          Place place = next(conn, key);
          EventStatus status = place.isFirst() ? EventStatus.NEW : EventStatus.WAITING;
          Parameters parameters =
              EventRows.parameters(sql, event, place.isFirst() ? lease : null)
                  .text("ordering_key", key)
                  .number("status", status.code())
                  .number("seq", place.last);
          sql.update(conn, "insert_ordered", parameters);
          sql.update(conn, "take_place", parameters);
          return !place.isFirst();
        });
  }

  @Override
  public boolean place(Connection conn, String key, String eventId) {
    Place place = next(conn, key);
    return placed(conn, key, eventId, place.last, place.isFirst());
  }

  /** The key is locked from here on, until the transaction ends. */
  private Place next(Connection conn, String key) {
    Parameters parameters = sql.parameters().text("ordering_key", key);
    open(conn, parameters);
    return sql.query(
            conn,
            "read_place",
            parameters,
            row -> new Place(row.getLong("last_seq"), row.getLong("ended_seq")))
        .get(0);
  }

  /** Races with a transaction that inserts the same key, and with one that forgets it. */
  private void open(Connection conn, Parameters parameters) {
    if (dialect.upserts()) {
      sql.update(conn, "open_place", parameters);
      return;
    }
    for (int tries = 1; sql.update(conn, MOVE, parameters) == 0; tries++) {
      try {
        sql.update(conn, "open_place", parameters);
        return;
      } catch (StoreException e) {
        boolean isThere = e.getCause() instanceof SQLException cause && dialect.isDuplicate(cause);
        if (!isThere || tries == MAX_TRIES) {
          throw e;
        }
      }
    }
  }

  @Override
  public Advance advance(
      Connection conn,
      @Nullable Lease lease,
      Collection<String> keys,
      Consumer<List<String>> expire) {
    List<String> sorted = List.copyOf(new TreeSet<>(keys));
    return inTransaction(
        conn,
        () -> {
          List<First> firsts = firsts(conn, sorted);
          markIdle(conn, firsts);
          pass(conn, firsts.stream().filter(first -> first.id != null).toList());
          return start(conn, lease, firsts, expire);
        });
  }

  private List<First> firsts(Connection conn, Collection<String> keys) {
    List<First> firsts = new ArrayList<>();
    for (List<String> chunk : Chunks.of(keys, dialect.maxIds())) {
      firsts.addAll(
          sql.query(
              conn,
              "places",
              sql.parameters().ids(chunk),
              row ->
                  new First(
                      row.getString("ordering_key"),
                      row.getString("first_id"),
                      row.getLong("first_seq"),
                      row.getLong("last_seq"))));
    }
    return firsts;
  }

  /** A key without a live event, unless it has given a place since, or is about to. */
  private void markIdle(Connection conn, List<First> firsts) {
    Map<String, Long> ended =
        firsts.stream()
            .filter(first -> first.id == null)
            .collect(Collectors.toMap(First::key, First::last));
    for (List<String> chunk : Chunks.of(new TreeSet<>(ended.keySet()), dialect.maxIds())) {
      Map<String, Long> locked = new HashMap<>();
      sql.query(
          conn,
          "lock_idle",
          sql.parameters().ids(chunk),
          row -> locked.put(row.getString("ordering_key"), row.getLong("last_seq")));
      List<String> idle =
          chunk.stream()
              .filter(key -> requireNonNull(ended.get(key)).equals(locked.get(key)))
              .toList();
      if (!idle.isEmpty()) {
        sql.update(conn, "mark_idle", sql.parameters().ids(idle));
        sql.update(conn, "empty_places", sql.parameters().ids(idle));
      }
    }
  }

  /** Removes the places before the first events. */
  private void pass(Connection conn, List<First> firsts) {
    List<Parameters> each =
        firsts.stream()
            .map(first -> sql.parameters().text("ordering_key", first.key).number("seq", first.seq))
            .toList();
    if (!each.isEmpty()) {
      sql.batch(conn, "pass_places", each);
    }
  }

  private Advance start(
      Connection conn, @Nullable Lease lease, List<First> firsts, Consumer<List<String>> expire) {
    List<String> ids =
        firsts.stream().flatMap(first -> Stream.ofNullable(first.id)).sorted().toList();
    List<TakenRow> taken = new ArrayList<>();
    Set<Instant> dueTimes = new HashSet<>();
    for (List<String> chunk : Chunks.of(ids, dialect.maxIds())) {
      List<String> now = new ArrayList<>();
      List<String> all =
          sql.query(
              conn,
              "lock_waiting",
              sql.parameters().ids(chunk),
              row -> {
                String id = row.getString("event_id");
                if (row.getInt("later") == 1) {
                  dueTimes.add(requireNonNull(dialect.getInstant(row, "due_at")));
                } else {
                  now.add(id);
                }
                return id;
              });
      if (!all.isEmpty()) {
        Parameters parameters =
            sql.parameters()
                .ids(all)
                .text("owner", EventRows.owner(lease))
                .duration("lease", EventRows.duration(lease));
        sql.update(conn, "start", parameters);
      }
      if (lease != null && !now.isEmpty()) {
        taken.addAll(events.query(conn, "read", events.parameters().ids(now), rows::taken));
      }
    }
    TakenRow.settled(taken, expire);
    Set<String> followed =
        firsts.stream()
            .filter(first -> first.last > first.seq)
            .flatMap(first -> Stream.ofNullable(first.id))
            .collect(Collectors.toSet());
    followed.retainAll(taken.stream().map(TakenRow::eventId).toList());
    return new Advance(rows.finished(conn, taken), TakenRow.ended(taken), followed, dueTimes);
  }

  @Override
  public Set<String> release(Connection conn, Collection<String> eventIds) {
    return inTransaction(
        conn,
        () -> {
          Set<String> dead =
              held(conn, keysOf(conn, eventIds)).stream()
                  .filter(held -> eventIds.contains(held.eventId()))
                  .map(HeldKey::orderingKey)
                  .collect(Collectors.toCollection(LinkedHashSet::new));
          List<First> behind =
              firsts(conn, dead).stream()
                  .filter(first -> first.id != null && eventIds.contains(first.id))
                  .map(first -> new First(first.key, first.id, first.seq + 1, first.last))
                  .toList();
          pass(conn, behind);
          return dead;
        });
  }

  @Override
  void forget(Connection conn, List<String> keys, Duration idleFor) {
    inTransaction(
        conn,
        () -> {
          for (List<String> chunk : Chunks.of(keys, dialect.maxIds())) {
            Parameters parameters = sql.parameters().ids(chunk).duration("age", idleFor);
            List<String> old =
                sql.query(conn, "lock_forgotten", parameters, row -> row.getString("ordering_key"));
            if (!old.isEmpty()) {
              sql.update(conn, "forget_keys", sql.parameters().ids(old));
            }
          }
          return 0;
        });
  }

  /**
   * The places that a key has given.
   *
   * @param ended the events of all places up to this one have ended
   */
  private record Place(long last, long ended) {
    boolean isFirst() {
      return last == ended + 1;
    }
  }

  /**
   * The first event of a key that has not ended.
   *
   * @param id null if there is none
   * @param last the last place that the key has given
   */
  private record First(String key, @Nullable String id, long seq, long last) {}
}
