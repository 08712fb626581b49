package outbox.admin.data;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import outbox.DeadLetters;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStore;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;
import outbox.model.MessageId;

/** The messages in the table of an inbox. */
final class TableInbox implements OperatedInbox {
  private static final int ANY = -1;

  private final Looks table;
  private final InboxStore store;
  private final DeadLetters deadLetters;

  TableInbox(Looks table, InboxStore store, DeadLetters deadLetters) {
    this.table = table;
    this.store = store;
    this.deadLetters = deadLetters;
  }

  @Override
  public Page<InboxRow> list(InboxQuery query) {
    return table.look(
        session ->
            new Listing<>(
                    session,
                    orders(query.view()),
                    Filters.of(query),
                    Filters.searches(query),
                    query.paging(),
                    InboxRows::read)
                .page());
  }

  private static List<Order> orders(InboxView view) {
    return switch (view) {
      case SEEN -> List.of(Order.byId(InboxRows.SEEN));
      case PROCESSING ->
          List.of(Order.byTurn(ANY, ANY, false), Order.byId(InboxRows.PROCESSED_BY_CALLER));
      case DONE -> List.of(Order.byCompletion(true), Order.byCompletion(false));
      case DEAD -> List.of(Order.byDeath());
      case ALL -> List.of(Order.byId(ANY));
    };
  }

  @Override
  public Optional<InboxDetail> find(InboxKey key, boolean payload) {
    return table.look(
        session -> idOf(session, key).flatMap(id -> detail(session, id.value(), payload)));
  }

  private static Optional<InboxDetail> detail(Session session, String id, boolean payload) {
    return session
        .query(
            "one",
            values -> values.text("id", id).number("snippet", EventRow.SNIPPET),
            TableInbox::detail)
        .stream()
        .findFirst()
        .map(detail -> payload ? withPayload(session, detail) : detail);
  }

  private static InboxDetail detail(Row row) throws SQLException {
    return new InboxDetail(
        InboxRows.read(row),
        Headers.read(row.text("headers")),
        row.text("last_error"),
        Payloads.unseen(row, false),
        Timeline.ofInbox(row));
  }

  private static InboxDetail withPayload(Session session, InboxDetail detail) {
    return new InboxDetail(
        detail.row(),
        detail.headers(),
        detail.error(),
        Payloads.seen(session, detail.row().id(), detail.payload(), false),
        detail.timeline());
  }

  @Override
  public boolean replay(InboxKey key, String by) {
    return idOf(key).map(id -> deadLetters.replay(id, by)).orElse(false);
  }

  @Override
  public boolean discard(InboxKey key, String by, String reason) {
    return idOf(key)
        .map(id -> !deadLetters.discard(List.of(id), by, reason).isEmpty())
        .orElse(false);
  }

  private Optional<MessageId> idOf(InboxKey key) {
    return table.look(session -> idOf(session, key));
  }

  private Optional<MessageId> idOf(Session session, InboxKey key) {
    return Optional.ofNullable(store.eventIds(session.connection(), List.of(key)).get(key))
        .map(MessageId::new);
  }

  @Override
  public DeadLetters deadLetters() {
    return deadLetters;
  }
}
