package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;

/** For databases whose UPDATE returns rows: each operation is one statement. */
final class ReturningLeases implements Leases {
  /** What is needed beside the statements of every table with leases. */
  static final Set<String> STATEMENTS = Set.of("claim", "claim_by_id");

  private final Statements statements;
  private final Dialect dialect;
  private final EventRows rows;

  ReturningLeases(Statements statements, EventRows rows) {
    this.statements = statements;
    this.dialect = statements.dialect();
    this.rows = rows;
  }

  @Override
  public Claimed claim(Connection conn, ClaimRequest request, Consumer<List<String>> expire) {
    Parameters parameters =
        statements
            .parameters()
            .text("owner", request.owner())
            .duration("lease", request.lease())
            .number("limit", request.limit())
            .number("max_bytes", request.maxBytes())
            .instant("after", request.after())
            .duration("skip_recent", request.skipRecent())
            .flag("relaxed", OwnTransaction.autoCommits(conn));
    ClaimReader reader = new ClaimReader(rows, dialect);
    List<TakenRow> taken =
        take(
            conn,
            request.owner(),
            () -> {
              reader.begin();
              return statements.query(conn, "claim", parameters, reader::read);
            },
            expire);
    return new Claimed(rows.finished(conn, taken), reader.watermark(), TakenRow.ended(taken));
  }

  @Override
  public List<ClaimedEvent> claimById(
      Connection conn,
      String owner,
      Duration lease,
      Collection<String> ids,
      Consumer<List<String>> expire) {
    Function<List<String>, Parameters> parameters =
        chunk ->
            statements
                .parameters()
                .ids(chunk)
                .text("owner", owner)
                .duration("lease", lease)
                .flag("relaxed", OwnTransaction.autoCommits(conn));
    List<TakenRow> taken =
        take(
            conn,
            owner,
            () ->
                Chunks.of(ids, dialect.maxIds()).stream()
                    .map(parameters)
                    .flatMap(
                        each -> statements.query(conn, "claim_by_id", each, rows::taken).stream())
                    .toList(),
            expire);
    return rows.finished(conn, taken);
  }

  /** What has expired is ended under the lease just taken, so a second transaction will do. */
  private List<TakenRow> take(
      Connection conn,
      String owner,
      Supplier<List<TakenRow>> statement,
      Consumer<List<String>> expire) {
    List<TakenRow> taken = OwnTransaction.single(conn, dialect, statement);
    try {
      return TakenRow.settled(taken, expire);
    } catch (RuntimeException e) {
      giveBack(conn, owner, taken, e);
      throw e;
    }
  }

  /** The caller never gets what was taken: other nodes need not wait for the end of the lease. */
  private void giveBack(
      Connection conn, String owner, List<TakenRow> taken, RuntimeException cause) {
    try {
      List<String> ids = taken.stream().map(TakenRow::eventId).toList();
      move(conn, "defer", owner, ids, more -> Leases.deferring(more, Duration.ZERO, null));
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public Set<String> move(
      Connection conn,
      String transition,
      String owner,
      Collection<String> ids,
      Consumer<Parameters> more) {
    return new LinkedHashSet<>(
        inChunks(
            conn,
            ids,
            chunk -> {
              Parameters parameters = statements.parameters().ids(chunk);
              more.accept(parameters.text("owner", owner));
              return ids(conn, transition, parameters);
            }));
  }

  /** Most have no key: the others are asked for only if some were left. */
  @Override
  public Set<String> deleteDone(Connection conn, String owner, Collection<String> ids) {
    Set<String> done = move(conn, "ack_delete", owner, ids, none -> {});
    if (done.size() < ids.size()) {
      List<String> rest = ids.stream().filter(id -> !done.contains(id)).toList();
      done.addAll(move(conn, "ack_keyed", owner, rest, none -> {}));
    }
    return done;
  }

  @Override
  public Set<String> moveEach(
      Connection conn, String transition, String owner, Collection<Failure> failures) {
    return dialect.hasArrays()
        ? moveTogether(conn, transition, owner, failures)
        : moveOneByOne(conn, transition, owner, failures);
  }

  private Set<String> moveTogether(
      Connection conn, String transition, String owner, Collection<Failure> failures) {
    Parameters parameters =
        statements
            .parameters()
            .ids(failures.stream().map(Failure::eventId).toList())
            .array(
                "delays",
                "bigint",
                failures.stream().map(failure -> Parameters.micros(failure.delay())).toArray())
            .array("errors", "text", failures.stream().map(Failure::error).toArray())
            .array("listeners", "text", failures.stream().map(Failure::listeners).toArray())
            .text("owner", owner);
    return new LinkedHashSet<>(
        OwnTransaction.single(conn, dialect, () -> ids(conn, transition, parameters)));
  }

  private Set<String> moveOneByOne(
      Connection conn, String transition, String owner, Collection<Failure> failures) {
    List<Failure> each = List.copyOf(failures);
    List<Parameters> parameters =
        each.stream()
            .map(failure -> Leases.failing(statements.parameters(), failure).text("owner", owner))
            .toList();
    int[] counts =
        OwnTransaction.of(conn, dialect, () -> statements.batch(conn, transition, parameters));
    Set<String> changed = new LinkedHashSet<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] == 1) {
        changed.add(each.get(i).eventId());
      }
    }
    return changed;
  }

  @Override
  public int reap(Connection conn, Duration grace, int limit, int window) {
    Parameters parameters = Leases.reaping(statements.parameters(), grace, limit, window);
    return OwnTransaction.single(conn, dialect, () -> statements.update(conn, "reap", parameters));
  }

  private List<String> ids(Connection conn, String name, Parameters parameters) {
    return statements.query(conn, name, parameters, row -> row.getString(1));
  }

  private <E, R> List<R> inChunks(Connection conn, Collection<E> all, ChunkWork<E, R> work) {
    List<List<E>> chunks = Chunks.of(all, dialect.maxIds());
    Supplier<List<R>> each =
        () -> {
          List<R> results = new ArrayList<>();
          chunks.forEach(chunk -> results.addAll(work.on(chunk)));
          return results;
        };
    return chunks.size() > 1
        ? OwnTransaction.of(conn, dialect, each)
        : OwnTransaction.single(conn, dialect, each);
  }

  @FunctionalInterface
  private interface ChunkWork<E, R> {
    List<R> on(List<E> chunk);
  }
}
