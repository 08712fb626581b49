package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.SqlFile;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.OrderedEvents.Advance;
import outbox.spi.OrderedEvents.HeldKey;
import outbox.spi.OrderedEvents.Sweep;

/** The order by key of one table's events: how places are given, and how the next event starts. */
public abstract class Order {
  /** What is needed whatever the database's way of locking. */
  private static final Set<String> COMMON =
      Set.of(
          "insert_ordered",
          "take_place",
          "place_first",
          "place_behind",
          "held",
          "keys_of",
          "look_at_keys",
          "forget_keys");

  /** Statements over one row, whose plan may be kept. */
  private static final Set<String> SINGLE =
      Set.of("insert_ordered", "next_place", "take_place", "place_first", "place_behind");

  final Statements sql;
  final Dialect dialect;

  Order(Statements sql) {
    this.sql = sql;
    this.dialect = sql.dialect();
  }

  /** The order of a table; null on a database without it. */
  static @Nullable Order of(
      Dialect dialect, TableName table, @Nullable String now, Statements events, EventRows rows) {
    if (!dialect.keepsOrder()) {
      return null;
    }
    boolean returning = dialect.changesInQueries();
    Set<String> required = new TreeSet<>(COMMON);
    required.addAll(returning ? ReturningOrder.STATEMENTS : LockingOrder.STATEMENTS);
    if (!returning && !dialect.upserts()) {
      required.add(LockingOrder.MOVE);
    }
    String file = dialect.statementFile() + "-order.sql";
    Statements sql = new Statements(dialect, table, now, SqlFile.exactly(required, file), SINGLE);
    return returning ? new ReturningOrder(sql, rows) : new LockingOrder(sql, events, rows);
  }

  /** Inserts an event without a key of its producer; returns whether it is behind another. */
  public abstract boolean insert(
      Connection conn, EventEnvelope event, String key, @Nullable Lease lease);

  /** Gives an event its place that the transaction has inserted; returns whether it is behind. */
  public abstract boolean place(Connection conn, String key, String eventId);

  /**
   * Starts the next events of these keys.
   *
   * @param expire ends the events of this list, in the same transaction
   */
  public abstract Advance advance(
      Connection conn,
      @Nullable Lease lease,
      Collection<String> keys,
      Consumer<List<String>> expire);

  /** Takes dead events out of the order of their keys. */
  public abstract Set<String> release(Connection conn, Collection<String> eventIds);

  abstract void forget(Connection conn, List<String> keys, Duration idleFor);

  public final List<HeldKey> held(Connection conn, Collection<String> keys) {
    List<HeldKey> held = new ArrayList<>();
    for (List<String> chunk : Chunks.of(keys, dialect.maxIds())) {
      held.addAll(sql.query(conn, "held", sql.parameters().ids(chunk), this::heldKey));
    }
    return held;
  }

  private HeldKey heldKey(ResultSet row) throws SQLException {
    return new HeldKey(
        row.getString("ordering_key"),
        row.getString("event_id"),
        row.getString("event_type"),
        requireNonNull(dialect.getInstant(row, "available_at")),
        row.getString("last_error"));
  }

  public final Set<String> keysOf(Connection conn, Collection<String> eventIds) {
    Set<String> keys = new LinkedHashSet<>();
    for (List<String> chunk : Chunks.of(eventIds, dialect.maxIds())) {
      keys.addAll(sql.query(conn, "keys_of", sql.parameters().ids(chunk), row -> row.getString(1)));
    }
    return keys;
  }

  /** Looks at the next keys, and forgets those that have been idle for so long. */
  public final Sweep sweep(Connection conn, @Nullable String after, int limit, Duration idleFor) {
    Parameters parameters =
        sql.parameters().text("after", after == null ? "" : after).number("limit", limit);
    List<Looked> looked =
        sql.query(
            conn,
            "look_at_keys",
            parameters,
            row -> new Looked(row.getString("ordering_key"), row.getInt("busy") == 1));
    List<String> idle = looked.stream().filter(each -> !each.busy).map(Looked::key).toList();
    if (!idle.isEmpty()) {
      forget(conn, idle, idleFor);
    }
    return new Sweep(
        looked.stream().filter(Looked::busy).map(Looked::key).toList(),
        looked.size() < limit ? null : looked.get(looked.size() - 1).key);
  }

  /** Sets the state of an event that was inserted already. */
  final boolean placed(Connection conn, String key, String eventId, long seq, boolean first) {
    Parameters parameters =
        sql.parameters().text("ordering_key", key).text("event_id", eventId).number("seq", seq);
    sql.update(conn, "take_place", parameters);
    sql.update(conn, first ? "place_first" : "place_behind", parameters);
    return !first;
  }

  final <T> T inTransaction(Connection conn, Supplier<T> work) {
    return OwnTransaction.of(conn, dialect, work);
  }

  private record Looked(String key, boolean busy) {}
}
