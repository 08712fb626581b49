package outbox.admin.data;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import outbox.Joins;
import outbox.jdbc.internal.query.BoundedQueries.Session;
import outbox.jdbc.internal.query.Row;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.StepStatus;

/** The joins in the tables beside an outbox. */
final class TableJoins implements OperatedJoins {
  private static final int ANY = -1;
  private static final int MAX_KEY = 255;
  private static final int MAX_JOINS = 100;

  private final Looks tables;
  private final Joins joins;
  private final Supplier<Boolean> present;

  TableJoins(Looks tables, Joins joins, Supplier<Boolean> present) {
    this.tables = tables;
    this.joins = joins;
    this.present = present;
  }

  @Override
  public Page<Join> list(JoinQuery query) {
    JoinStatus status = query.status();
    int code = status == null ? ANY : status.code();
    String key = Filters.text("groupingKey", query.groupingKey(), MAX_KEY);
    return tables.look(
        session ->
            new Listing<>(
                    session,
                    List.of(key == null ? Order.byId(code) : Order.byKey(key, code)),
                    values -> {},
                    false,
                    query.paging(),
                    TableJoins::join)
                .page());
  }

  @Override
  public Optional<JoinDetail> find(JoinIdentifier id) {
    if (!Filters.isId(id.value())) {
      return Optional.empty();
    }
    return tables.look(
        session ->
            session
                .query("join", values -> values.text("id", id.value()), TableJoins::join)
                .stream()
                .findFirst()
                .map(join -> detail(session, join)));
  }

  private static JoinDetail detail(Session session, Join join) {
    String id = join.id().value();
    List<JoinDetail.Member> members =
        session.query(
            "members",
            values ->
                values
                    .text("id", id)
                    .number("limit", JoinDetail.MAX_MEMBERS)
                    .number("snippet", EventRow.SNIPPET),
            TableJoins::member);
    int attached =
        session
            .query("member_count", values -> values.text("id", id), row -> row.integer("members"))
            .get(0);
    List<JoinDetail.Wait> waits =
        session.query(
            "waits",
            values ->
                values
                    .text("id", id)
                    .number("limit", MAX_JOINS)
                    .number("snippet", EventRow.SNIPPET),
            row -> new JoinDetail.Wait(row.required("message_id"), EventRows.readIfThere(row)));
    return new JoinDetail(join, members, Math.max(0, join.expectedSteps() - attached), waits);
  }

  private static JoinDetail.Member member(Row row) throws SQLException {
    return new JoinDetail.Member(
        row.required("message_id"),
        StepStatus.ofCode(row.integer("step_status")),
        row.requiredInstant("attached_at"),
        EventRows.readIfThere(row));
  }

  private static Join join(Row row) throws SQLException {
    return new Join(
        new JoinIdentifier(row.required("join_id")),
        row.text("grouping_key"),
        row.integer("expected_steps"),
        row.integer("completed_steps"),
        row.integer("failed_steps"),
        JoinStatus.ofCode(row.integer("status")),
        row.requiredInstant("created_at"),
        row.requiredInstant("last_updated_at"),
        row.instant("deadline_at"),
        row.text("metadata"));
  }

  /** Whether any message waits for a join, or has. */
  boolean anyWait() {
    return tables.look(
        session ->
            !session.query("a_wait", values -> {}, row -> row.required("message_id")).isEmpty());
  }

  /** The joins of which a message is a step. */
  List<String> joinsOf(String messageId) {
    return present.get()
        ? tables.look(
            session ->
                session.query(
                    "joins_of",
                    values -> values.text("id", messageId).number("limit", MAX_JOINS),
                    row -> row.required("join_id")))
        : List.of();
  }

  @Override
  public boolean cancel(JoinIdentifier id) {
    return tables.limited(() -> joins.cancelJoin(id));
  }
}
