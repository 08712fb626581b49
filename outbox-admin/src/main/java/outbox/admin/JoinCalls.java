package outbox.admin;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.JoinQuery;
import outbox.admin.data.OperatedJoins;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;

/** Joins: listed, shown, cancelled. */
final class JoinCalls {
  private static final Set<String> FILTER =
      Set.of("db", "status", "groupingKey", "page", "pageSize", "cursor");

  private final Watches databases;
  private final ActionLog log;
  private final PayloadRule payloads;

  JoinCalls(Watches databases, ActionLog log, PayloadRule payloads) {
    this.databases = databases;
    this.log = log;
    this.payloads = payloads;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/joins", FILTER, this::list),
        Route.get("/joins/{id}", Set.of("db"), this::show),
        Route.post("/joins/{id}/cancel", Set.of("db"), Set.of(), this::cancel));
  }

  private Answer list(Call call) {
    Arguments query = call.query();
    JoinQuery wanted =
        JoinQuery.all()
            .status(query.oneOf("status", Status.class, Status.ALL).status())
            .groupingKey(query.text("groupingKey"))
            .paging(PageJson.request(query));
    return Answer.json(PageJson.of(joins(call).list(wanted), JoinJson::row));
  }

  private Answer show(Call call) {
    return joins(call)
        .find(id(call))
        .map(join -> Answer.json(JoinJson.detail(join, payloads.shownTo(call.caller()))))
        .orElseThrow(JoinCalls::unknown);
  }

  private Answer cancel(Call call) {
    OperatedJoins joins = joins(call);
    JoinIdentifier id = id(call);
    if (joins.find(id).isEmpty()) {
      throw unknown();
    }
    int changed = joins.cancel(id) ? 1 : 0;
    log.done(
        call.caller(), "cancel", "db", databases.of(call).name(), "join", id, "changed", changed);
    return Answer.changed(changed);
  }

  private static Problem unknown() {
    return Problem.notFound("There is no join of this id.");
  }

  private static JoinIdentifier id(Call call) {
    return new JoinIdentifier(call.pathText("id", EventCalls.MAX_ID));
  }

  private OperatedJoins joins(Call call) {
    Watch watch = databases.of(call);
    if (!watch.presence().joins()) {
      throw Problem.notFound("This database has no joins.");
    }
    return watch.database().joins();
  }

  /** What a list can be narrowed to. */
  private enum Status {
    ALL,
    PENDING,
    COMPLETED,
    FAILED,
    CANCELLED;

    @Nullable JoinStatus status() {
      return this == ALL ? null : JoinStatus.valueOf(name().toUpperCase(Locale.ROOT));
    }
  }
}
