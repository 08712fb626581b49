package outbox.admin;

import java.util.List;
import java.util.Set;
import outbox.admin.data.InboxQuery;
import outbox.admin.data.InboxView;
import outbox.admin.data.OperatedInbox;
import outbox.admin.json.InboxJson;
import outbox.inbox.InboxKey;

/**
 * Messages of the inbox: listed, shown, replayed. A message is named by parameters, not by the
 * path: its source and id are foreign texts, and containers refuse a path with an encoded slash in
 * it.
 */
final class InboxCalls {
  private static final Set<String> FILTER =
      Set.of(
          "db", "status", "source", "topic", "from", "to", "error", "page", "pageSize", "cursor");
  private static final Set<String> KEY = Set.of("db", "source", "messageId");

  private final Watches databases;
  private final ActionLog log;
  private final PayloadRule payloads;

  InboxCalls(Watches databases, ActionLog log, PayloadRule payloads) {
    this.databases = databases;
    this.log = log;
    this.payloads = payloads;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/inbox", FILTER, this::list),
        Route.get("/inbox/message", Set.of("db", "source", "messageId", "payload"), this::show),
        Route.post("/inbox/message/replay", KEY, Set.of(), this::replay),
        Route.post("/inbox/message/discard", KEY, Set.of("reason"), this::discard));
  }

  private Answer list(Call call) {
    Arguments query = call.query();
    InboxQuery wanted =
        InboxQuery.of(query.oneOf("status", InboxView.class, InboxView.ALL))
            .source(query.text("source"))
            .topic(query.text("topic"))
            .from(query.instant("from"))
            .to(query.instant("to"))
            .error(query.text("error"))
            .paging(PageJson.request(query));
    return Answer.json(PageJson.of(inbox(call).list(wanted), InboxJson::row));
  }

  private Answer show(Call call) {
    InboxKey key = key(call);
    boolean payload = payloads.allows(call);
    return inbox(call)
        .find(key, payload)
        .map(
            message -> {
              if (payload) {
                log.done(
                    call.caller(), "inbox-payload", "db", databases.of(call).name(), "key", key);
              }
              return Answer.json(InboxJson.detail(payloads.shownTo(call.caller()).shown(message)));
            })
        .orElseThrow(() -> Problem.notFound("There is no message of this source and id."));
  }

  private Answer replay(Call call) {
    InboxKey key = key(call);
    int changed = inbox(call).replay(key, call.caller().name()) ? 1 : 0;
    log.done(
        call.caller(), "replay", "db", databases.of(call).name(), "key", key, "changed", changed);
    return Answer.changed(changed);
  }

  private Answer discard(Call call) {
    InboxKey key = key(call);
    String reason = call.body().requiredText("reason", EventCalls.MAX_REASON);
    int changed = inbox(call).discard(key, call.caller().name(), reason) ? 1 : 0;
    log.done(
        call.caller(),
        "inbox-discard",
        "db",
        databases.of(call).name(),
        "key",
        key,
        "reason",
        reason,
        "changed",
        changed);
    return Answer.changed(changed);
  }

  private static InboxKey key(Call call) {
    return new InboxKey(
        call.query().requiredText("source", Arguments.MAX_TEXT),
        call.query().requiredText("messageId", Arguments.MAX_TEXT));
  }

  private OperatedInbox inbox(Call call) {
    return inbox(databases.of(call));
  }

  static OperatedInbox inbox(Watch watch) {
    if (!watch.presence().inbox()) {
      throw Problem.notFound("This database has no inbox.");
    }
    return watch.database().inbox();
  }
}
