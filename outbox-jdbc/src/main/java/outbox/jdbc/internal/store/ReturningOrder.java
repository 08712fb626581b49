package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.OrderedEvents.Advance;

/** For databases where one statement changes several tables: each operation is one statement. */
final class ReturningOrder extends Order {
  /** What is needed beside the statements of every order. */
  static final Set<String> STATEMENTS = Set.of("next_place", "advance", "release");

  private final EventRows rows;

  ReturningOrder(Statements sql, EventRows rows) {
    super(sql);
    this.rows = rows;
  }

  @Override
  public boolean insert(Connection conn, EventEnvelope event, String key, @Nullable Lease lease) {
    Parameters parameters = EventRows.parameters(sql, event, lease).text("ordering_key", key);
    int status =
        OwnTransaction.single(
            conn,
            dialect,
            () ->
                sql.query(conn, "insert_ordered", parameters, row -> row.getInt("status")).get(0));
    return status == EventStatus.WAITING.code();
  }

  @Override
  public boolean place(Connection conn, String key, String eventId) {
    long[] place =
        sql.query(
                conn,
                "next_place",
                sql.parameters().text("ordering_key", key),
                row -> new long[] {row.getLong("last_seq"), row.getLong("ended_seq")})
            .get(0);
    return placed(conn, key, eventId, place[0], place[0] == place[1] + 1);
  }

  @Override
  public Advance advance(
      Connection conn,
      @Nullable Lease lease,
      Collection<String> keys,
      Consumer<List<String>> expire) {
    Parameters parameters =
        sql.parameters()
            .ids(keys)
            .text("owner", EventRows.owner(lease))
            .duration("lease", EventRows.duration(lease))
            .flag("relaxed", OwnTransaction.autoCommits(conn));
    List<Started> started =
        OwnTransaction.single(
            conn, dialect, () -> sql.query(conn, "advance", parameters, this::started));
    List<TakenRow> taken = new ArrayList<>();
    Set<String> followed = new HashSet<>();
    Set<Instant> dueTimes = new HashSet<>();
    for (Started each : started) {
      if (each.dueAt != null) {
        dueTimes.add(each.dueAt);
      } else if (lease != null) {
        taken.add(each.row);
        if (each.followed) {
          followed.add(each.row.eventId());
        }
      }
    }
    TakenRow.settled(taken, expire);
    return new Advance(rows.finished(conn, taken), TakenRow.ended(taken), followed, dueTimes);
  }

  private Started started(ResultSet row) throws SQLException {
    boolean later = row.getInt("untaken") == 1;
    Instant availableAt = requireNonNull(dialect.getInstant(row, "available_at"));
    Instant dueAt = later ? dialect.getInstant(row, "due_at") : null;
    return new Started(rows.taken(row, availableAt), row.getInt("followed") == 1, dueAt);
  }

  @Override
  public Set<String> release(Connection conn, Collection<String> eventIds) {
    Parameters parameters = sql.parameters().ids(eventIds);
    return new LinkedHashSet<>(
        OwnTransaction.single(
            conn,
            dialect,
            () -> sql.query(conn, "release", parameters, row -> row.getString("ordering_key"))));
  }

  @Override
  void forget(Connection conn, List<String> keys, Duration idleFor) {
    Parameters parameters = sql.parameters().ids(keys).duration("age", idleFor);
    OwnTransaction.single(conn, dialect, () -> sql.update(conn, "forget_keys", parameters));
  }

  /**
   * An event that waits no longer.
   *
   * @param dueAt when it is due, if that is later
   */
  private record Started(TakenRow row, boolean followed, @Nullable Instant dueAt) {}
}
