package outbox.admin;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventQuery;
import outbox.admin.data.EventView;
import outbox.admin.data.OperatedEvents;
import outbox.admin.json.EventJson;
import outbox.model.MessageId;

/** Events: listed, shown and moved one by one. */
final class EventCalls {
  static final int MAX_ID = 36;
  static final int MAX_REASON = 500;

  private static final Duration MAX_DELAY = Duration.ofDays(3650);
  private static final Set<String> FILTER =
      Set.of(
          "db",
          "status",
          "topic",
          "tenant",
          "correlation",
          "from",
          "to",
          "error",
          "owner",
          "page",
          "pageSize",
          "cursor");

  private final Watches databases;
  private final ActionLog log;
  private final PayloadRule payloads;

  EventCalls(Watches databases, ActionLog log, PayloadRule payloads) {
    this.databases = databases;
    this.log = log;
    this.payloads = payloads;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/", FILTER, this::list),
        Route.get("/{id}", Set.of("db", "payload"), this::show),
        Route.post("/{id}/replay", Set.of("db"), Set.of(DeadLetterCalls.FAILED_ONLY), this::replay),
        Route.post("/{id}/discard", Set.of("db"), Set.of("reason"), this::discard),
        Route.post("/{id}/defer", Set.of("db"), Set.of("delayMs"), this::defer),
        Route.post("/{id}/release", Set.of("db"), Set.of(), this::release));
  }

  private Answer list(Call call) {
    Arguments query = call.query();
    EventQuery wanted =
        EventQuery.of(query.oneOf("status", EventView.class, EventView.PENDING))
            .topic(query.text("topic"))
            .tenant(query.text("tenant"))
            .correlation(query.text("correlation"))
            .from(query.instant("from"))
            .to(query.instant("to"))
            .error(query.text("error"))
            .owner(query.text("owner"))
            .paging(PageJson.request(query));
    return Answer.json(PageJson.of(events(call).list(wanted), EventJson::row));
  }

  private Answer show(Call call) {
    String id = id(call);
    boolean payload = payloads.allows(call);
    return events(call)
        .find(id, payload)
        .map(
            event -> {
              if (payload) {
                log.done(call.caller(), "payload", "db", db(call), "id", id);
              }
              return Answer.json(EventJson.detail(payloads.shownTo(call.caller()).shown(event)));
            })
        .orElseThrow(() -> Problem.notFound("There is no event of this id."));
  }

  private Answer replay(Call call) {
    MessageId id = new MessageId(id(call));
    boolean failedOnly = call.body().flag(DeadLetterCalls.FAILED_ONLY);
    int changed =
        events(call).deadLetters().replay(List.of(id), call.caller().name(), failedOnly).size();
    return changed(call, "replay", changed, failedOnly ? "failed listeners only" : null);
  }

  private Answer discard(Call call) {
    MessageId id = new MessageId(id(call));
    String reason = call.body().requiredText("reason", MAX_REASON);
    int changed =
        events(call).deadLetters().discard(List.of(id), call.caller().name(), reason).size();
    return changed(call, "discard", changed, reason);
  }

  private Answer defer(Call call) {
    Duration delay = call.body().requiredMillis("delayMs", MAX_DELAY);
    int changed = events(call).defer(List.of(id(call)), delay);
    return changed(call, "defer", changed, delay.toString());
  }

  private Answer release(Call call) {
    return changed(call, "release", events(call).release(List.of(id(call))), null);
  }

  private Answer changed(Call call, String action, int number, @Nullable String how) {
    log.done(call.caller(), action, "db", db(call), "id", id(call), "how", how, "changed", number);
    return Answer.changed(number);
  }

  private OperatedEvents events(Call call) {
    return events(databases.of(call));
  }

  static OperatedEvents events(Watch watch) {
    if (!watch.presence().outbox()) {
      throw Problem.notFound("This database has no outbox.");
    }
    return watch.database().events();
  }

  private String db(Call call) {
    return databases.of(call).name();
  }

  private static String id(Call call) {
    return call.pathText("id", MAX_ID);
  }
}
