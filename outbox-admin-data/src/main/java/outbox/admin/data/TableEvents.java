package outbox.admin.data;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import outbox.DeadLetters;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;
import outbox.model.EventStatus;

/** The events in the table of an outbox. */
final class TableEvents implements OperatedEvents {
  private static final int ANY = -1;
  private static final int UNLEASED = 0;
  private static final int LEASED = 1;
  private static final int MAX_IDS = 500;

  private final Looks table;
  private final String internal;
  private final TableJoins joins;
  private final DeadLetters deadLetters;
  private final Runnable onReplay;

  /**
   * @param internal the topic of the messages that the library sends to itself
   */
  TableEvents(
      Looks table, String internal, TableJoins joins, DeadLetters deadLetters, Runnable onReplay) {
    this.table = table;
    this.internal = internal;
    this.joins = joins;
    this.deadLetters = deadLetters;
    this.onReplay = onReplay;
  }

  @Override
  public Page<EventRow> list(EventQuery query) {
    return table.look(
        session ->
            new Listing<>(
                    session,
                    orders(query.view()),
                    Filters.of(query, internal),
                    Filters.searches(query),
                    query.paging(),
                    EventRows::read)
                .page());
  }

  private static List<Order> orders(EventView view) {
    return switch (view) {
      case PENDING -> List.of(Order.byTurn(ANY, ANY, false));
      case FAILED -> List.of(Order.byTurn(EventStatus.RETRY.code(), ANY, false), Order.byDeath());
      case PROCESSED -> List.of(Order.byCompletion(true), Order.byCompletion(false));
      case DEAD -> List.of(Order.byDeath());
      case LEASED -> List.of(Order.byTurn(ANY, LEASED, true));
      case SCHEDULED -> List.of(Order.byTurn(ANY, UNLEASED, true));
      case ALL -> List.of(Order.byId(ANY));
    };
  }

  @Override
  public Optional<EventDetail> find(String id, boolean payload) {
    if (!Filters.isId(id)) {
      return Optional.empty();
    }
    List<String> memberOf = joins.joinsOf(id);
    return table.look(
        session ->
            session
                .query(
                    "one",
                    values -> values.text("id", id).number("snippet", EventRow.SNIPPET),
                    row -> detail(row, memberOf))
                .stream()
                .findFirst()
                .map(detail -> payload ? withPayload(session, detail) : detail));
  }

  private static EventDetail detail(Row row, List<String> joins) throws SQLException {
    return new EventDetail(
        EventRows.read(row),
        Headers.read(row.text("headers")),
        row.text("last_error"),
        Payloads.unseen(row, true),
        Timeline.ofEvent(row),
        joins);
  }

  private static EventDetail withPayload(Session session, EventDetail detail) {
    return new EventDetail(
        detail.row(),
        detail.headers(),
        detail.error(),
        Payloads.seen(session, detail.row().id(), detail.payload(), true),
        detail.timeline(),
        detail.joins());
  }

  @Override
  public List<NodeRow> nodes() {
    return Nodes.of(table, internal);
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }

  @Override
  public int defer(Collection<String> ids, Duration delay) {
    if (delay.isNegative()) {
      throw new InvalidQueryException("delay", "delay (" + delay + ") must not be negative");
    }
    Set<String> wanted = checked(ids);
    return wanted.isEmpty()
        ? 0
        : table.change(
            session ->
                session.update("defer", values -> values.ids(wanted).duration("delay", delay)));
  }

  @Override
  public int release(Collection<String> ids) {
    Set<String> wanted = checked(ids);
    int released =
        wanted.isEmpty()
            ? 0
            : table.change(session -> session.update("release", values -> values.ids(wanted)));
    if (released > 0) {
      onReplay.run();
    }
    return released;
  }

  private static Set<String> checked(Collection<String> ids) {
    Set<String> wanted = new LinkedHashSet<>(ids);
    wanted.removeIf(id -> !Filters.isId(id));
    if (wanted.size() > MAX_IDS) {
      throw new InvalidQueryException(
          "ids", "ids (" + wanted.size() + ") must not be more than " + MAX_IDS);
    }
    return wanted;
  }
}
