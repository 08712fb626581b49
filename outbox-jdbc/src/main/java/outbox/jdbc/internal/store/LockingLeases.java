package outbox.jdbc.internal.store;

import java.sql.Connection;
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
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;

/**
 * For databases whose UPDATE returns nothing and waits for locks: lock what can be locked, change
 * it by id, read it, in one transaction.
 */
final class LockingLeases implements Leases {
  /** What is needed beside the statements of every table with leases. */
  static final Set<String> STATEMENTS =
      Set.of(
          "lock_due",
          "lock_free",
          "lock_owned",
          "lock_expired",
          "take",
          "read",
          "lock_dead",
          "lock_purge_payloads",
          "lock_purge_done",
          "lock_purge_dead");

  private final Statements statements;
  private final Dialect dialect;
  private final EventRows rows;

  LockingLeases(Statements statements, EventRows rows) {
    this.statements = statements;
    this.dialect = statements.dialect();
    this.rows = rows;
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request, Consumer<List<String>> expire) {
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          List<Due> due = bounded(lockDue(conn, request), request.maxBytes());
          List<String> ids = due.stream().map(Due::id).toList();
          Instant watermark = due.isEmpty() ? null : due.get(due.size() - 1).availableAt();
          List<TakenRow> taken = take(conn, request.owner(), request.lease(), ids, expire);
          return new Claimed(rows.finished(conn, taken), watermark, TakenRow.ended(taken));
        });
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn,
      String owner,
      Duration lease,
      Collection<String> ids,
      Consumer<List<String>> expire) {
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          List<String> locked = lock(conn, "lock_free", owner, ids);
          return rows.finished(conn, take(conn, owner, lease, locked, expire));
        });
  }

  @Override
  public Set<String> move(
      Connection conn,
      String transition,
      String owner,
      Collection<String> ids,
      Consumer<Parameters> more) {
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          List<String> locked = lock(conn, "lock_owned", owner, ids);
          change(conn, transition, locked, more);
          return new LinkedHashSet<>(locked);
        });
  }

  /** Most have no key: the others are changed only if some were left. */
  @Override
  public Set<String> deleteDone(Connection conn, String owner, Collection<String> ids) {
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          List<String> locked = lock(conn, "lock_owned", owner, ids);
          if (change(conn, "ack_delete", locked, none -> {}) < locked.size()) {
            change(conn, "ack_keyed", locked, none -> {});
          }
          return new LinkedHashSet<>(locked);
        });
  }

  @Override
  public Set<String> moveEach(
      Connection conn, String transition, String owner, Collection<Failure> failures) {
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          List<String> ids = failures.stream().map(Failure::eventId).toList();
          Set<String> locked = new HashSet<>(lock(conn, "lock_owned", owner, ids));
          List<Parameters> each =
              failures.stream()
                  .filter(failure -> locked.contains(failure.eventId()))
                  .map(failure -> Leases.failing(statements.parameters(), failure))
                  .toList();
          if (!each.isEmpty()) {
            statements.batch(conn, transition, each);
          }
          return locked;
        });
  }

  @Override
  public int reap(Connection conn, Duration grace, int limit, int window) {
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          Parameters parameters = Leases.reaping(statements.parameters(), grace, limit, window);
          List<String> locked = ids(conn, "lock_expired", parameters);
          change(conn, "reap", locked, none -> {});
          return locked.size();
        });
  }

  private List<Due> lockDue(Connection conn, ClaimRequest request) {
    return statements.query(
        conn,
        "lock_due",
        statements
            .parameters()
            .number("limit", request.limit())
            .instant("after", request.after())
            .duration("skip_recent", request.skipRecent()),
        row ->
            new Due(
                row.getString("event_id"),
                dialect.getInstant(row, "available_at"),
                row.getLong("bytes")));
  }

  private static List<Due> bounded(List<Due> due, long maxBytes) {
    long bytes = 0;
    int count = 0;
    while (count < due.size() && (count == 0 || bytes < maxBytes)) {
      bytes += due.get(count).bytes();
      count++;
    }
    return due.subList(0, count);
  }

  private List<TakenRow> take(
      Connection conn,
      String owner,
      Duration lease,
      List<String> locked,
      Consumer<List<String>> expire) {
    change(
        conn,
        "take",
        locked,
        parameters -> parameters.text("owner", owner).duration("lease", lease));
    List<TakenRow> taken = new ArrayList<>();
    for (List<String> chunk : Chunks.of(locked, dialect.maxIds())) {
      Parameters parameters = statements.parameters().ids(chunk);
      taken.addAll(statements.query(conn, "read", parameters, rows::taken));
    }
    return TakenRow.settled(taken, expire);
  }

  private List<String> lock(Connection conn, String name, String owner, Collection<String> ids) {
    List<String> locked = new ArrayList<>();
    for (List<String> chunk : Chunks.of(ids, dialect.maxIds())) {
      Parameters parameters = statements.parameters().ids(chunk).text("owner", owner);
      locked.addAll(ids(conn, name, parameters));
    }
    return locked;
  }

  private int change(Connection conn, String name, List<String> locked, Consumer<Parameters> more) {
    int changed = 0;
    for (List<String> chunk : Chunks.of(locked, dialect.maxIds())) {
      Parameters parameters = statements.parameters().ids(chunk);
      more.accept(parameters);
      changed += statements.update(conn, name, parameters);
    }
    return changed;
  }

  private List<String> ids(Connection conn, String name, Parameters parameters) {
    return statements.query(conn, name, parameters, row -> row.getString("event_id"));
  }

  private record Due(String id, @Nullable Instant availableAt, long bytes) {}
}
