package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.model.ListenerStates;
import outbox.model.OutboxEvent;

/** The rows of one table that have ended: what is dead, and what is old. */
public final class EndedRows {
  private final Statements sql;
  private final Dialect dialect;
  private final EventRows rows;
  private final TableKind kind;

  public EndedRows(EventTable table) {
    this.sql = table.statements();
    this.dialect = table.dialect();
    this.rows = table.rows();
    this.kind = table.kind();
  }

  public Instant now(Connection conn) {
    return sql.query(
            conn, "now", sql.parameters(), row -> requireNonNull(dialect.getInstant(row, "now")))
        .get(0);
  }

  public List<DeadLetter> list(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    Parameters parameters =
        filtered(filter)
            .instant("after_at", after == null ? null : after.createdAt())
            .text("after_id", after == null ? null : after.eventId())
            .number("limit", limit);
    return sql.query(conn, "dead_letters", parameters, this::letter);
  }

  public DeadCount count(Connection conn, DeadLetterFilter filter, int window) {
    Parameters parameters = filtered(filter).number("window", window);
    return sql.query(
            conn,
            "count_dead",
            parameters,
            row -> new DeadCount(row.getInt("found"), row.getInt("looked_at") < window))
        .get(0);
  }

  private Parameters filtered(DeadLetterFilter filter) {
    return sql.parameters()
        .text("topic", filter.topic())
        .text("tenant_id", filter.tenantId())
        .text("source", filter.source())
        .text("correlation_id", filter.correlationId())
        .text("error", filter.errorContains())
        .instant("died_from", filter.diedFrom())
        .instant("died_before", filter.diedBefore());
  }

  public Optional<DeadLetter> find(Connection conn, String eventId) {
    Parameters parameters = sql.parameters().text("id", eventId);
    return sql.query(conn, "dead_letter", parameters, this::letter).stream()
        .findFirst()
        .map(letter -> withOldPayload(conn, letter));
  }

  private DeadLetter withOldPayload(Connection conn, DeadLetter letter) {
    if (kind != TableKind.OUTBOX) {
      return letter;
    }
    OutboxEvent event = rows.finishedEvents(conn, List.of(letter.event())).get(0);
    return new DeadLetter(
        event,
        letter.diedAt(),
        letter.error(),
        letter.listeners(),
        letter.replays(),
        letter.replayedAt(),
        letter.replayedBy());
  }

  private DeadLetter letter(ResultSet row) throws SQLException {
    return new DeadLetter(
        rows.event(row),
        requireNonNull(dialect.getInstant(row, "available_at")),
        row.getString("last_error"),
        ListenerStates.parse(row.getString("listeners")),
        row.getInt("replays"),
        dialect.getInstant(row, "replayed_at"),
        row.getString("replayed_by"));
  }

  public int backlog(Connection conn, int most) {
    Parameters parameters = sql.parameters().number("limit", most);
    return sql.query(conn, "backlog", parameters, row -> row.getInt("due")).get(0);
  }

  /** Changes those of the rows that are dead; returns their ids. */
  public Set<String> move(
      Connection conn,
      String transition,
      Collection<String> ids,
      @Nullable Instant diedBefore,
      Consumer<Parameters> more) {
    Function<List<String>, Parameters> parameters =
        chunk -> {
          Parameters each = sql.parameters().ids(chunk).instant("died_before", diedBefore);
          more.accept(each);
          return each;
        };
    return OwnTransaction.of(
        conn,
        dialect,
        () -> {
          Set<String> changed = new LinkedHashSet<>();
          for (List<String> chunk : Chunks.of(ids, dialect.maxIds())) {
            changed.addAll(
                dialect.returnsRows()
                    ? ids(conn, transition, parameters.apply(chunk))
                    : moveLocked(conn, transition, parameters, chunk));
          }
          return changed;
        });
  }

  private List<String> moveLocked(
      Connection conn,
      String transition,
      Function<List<String>, Parameters> parameters,
      List<String> ids) {
    List<String> locked = ids(conn, "lock_dead", parameters.apply(ids));
    if (!locked.isEmpty()) {
      sql.update(conn, transition, parameters.apply(locked));
    }
    return locked;
  }

  public int purge(Connection conn, String what, Duration age, int limit) {
    return purge(conn, "lock_" + what, what, age, limit);
  }

  /**
   * Clears payloads.
   *
   * @param beside whether those in version 1's column too
   */
  public int purgePayloads(Connection conn, Duration age, int limit, boolean beside) {
    String what = beside ? "purge_payloads_beside" : "purge_payloads";
    return purge(conn, "lock_purge_payloads", what, age, limit);
  }

  /** Locked rows are left for the next time: no statement waits for a purge. */
  private int purge(Connection conn, String lock, String what, Duration age, int limit) {
    Parameters old = sql.parameters().duration("age", age).number("limit", limit);
    return dialect.returnsRows()
        ? OwnTransaction.single(conn, dialect, () -> sql.update(conn, what, old))
        : OwnTransaction.of(conn, dialect, () -> purgeLocked(conn, lock, what, old));
  }

  private int purgeLocked(Connection conn, String lock, String what, Parameters old) {
    int purged = 0;
    for (List<String> chunk : Chunks.of(ids(conn, lock, old), dialect.maxIds())) {
      purged += sql.update(conn, what, sql.parameters().ids(chunk));
    }
    return purged;
  }

  private List<String> ids(Connection conn, String name, Parameters parameters) {
    return new ArrayList<>(sql.query(conn, name, parameters, row -> row.getString("event_id")));
  }
}
