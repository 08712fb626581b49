package outbox.admin;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.admin.json.JsonObject;
import outbox.admin.metrics.Count;
import outbox.model.DeadCount;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;

/**
 * Dead letters in bulk: some by their ids at once, or those that a filter means, or all, as a job.
 * With {@code dryRun} they are only counted.
 */
final class DeadLetterCalls {
  static final int MAX_IDS = 1_000;

  static final String FAILED_ONLY = "failedOnly";

  private static final Set<String> FIELDS =
      Set.of("ids", "filter", "all", "dryRun", "reason", FAILED_ONLY);

  private final String path;
  private final Set<String> filterFields;
  private final Watches databases;
  private final Function<Watch, DeadLetters> letters;
  private final Jobs jobs;
  private final ActionLog log;

  DeadLetterCalls(
      String path,
      Set<String> filterFields,
      Watches databases,
      Function<Watch, DeadLetters> letters,
      Jobs jobs,
      ActionLog log) {
    this.path = path;
    this.filterFields = filterFields;
    this.databases = databases;
    this.letters = letters;
    this.jobs = jobs;
    this.log = log;
  }

  List<Route> routes() {
    return List.of(
        Route.post(path + "/replay", Set.of("db"), FIELDS, this::replay),
        Route.post(path + "/discard", Set.of("db"), FIELDS, this::discard));
  }

  private Answer replay(Call call) {
    if (call.body().has("reason")) {
      throw Problem.invalid("reason", "A replay needs no reason.");
    }
    boolean failedOnly = call.body().flag(FAILED_ONLY);
    return answer(
        call,
        failedOnly ? "replay-failed" : "replay",
        null,
        (dead, ids) -> dead.replay(ids, call.caller().name(), failedOnly),
        (dead, filter, bulk) -> dead.replay(filter, bulk.failedOnly(failedOnly)));
  }

  private Answer discard(Call call) {
    if (call.body().has(FAILED_ONLY)) {
      throw Problem.invalid(FAILED_ONLY, "Only a replay runs listeners; leave failedOnly out.");
    }
    boolean dryRun = call.body().flag("dryRun");
    String reason = dryRun ? "" : call.body().requiredText("reason", EventCalls.MAX_REASON);
    return answer(
        call,
        "discard",
        reason,
        (dead, ids) -> dead.discard(ids, call.caller().name(), reason),
        (dead, filter, bulk) -> dead.discard(filter, reason, bulk));
  }

  private Answer answer(
      Call call, String action, @Nullable String reason, SomeLetters some, AllLetters all) {
    Arguments body = call.body();
    if (Stream.of(body.has("ids"), body.has("filter"), body.flag("all")).filter(it -> it).count()
        != 1) {
      throw Problem.invalid(
          "ids", "Say which ones are meant: by ids, or by a filter, or \"all\": true.");
    }
    if (body.flag("dryRun")) {
      return count(call);
    }
    return body.has("ids") ? now(call, action, reason, some) : job(call, action, reason, all);
  }

  private Answer count(Call call) {
    DeadLetters dead = letters(call);
    Count count =
        call.body().has("ids")
            ? Count.exactly(ids(call).stream().filter(id -> dead.find(id).isPresent()).count())
            : count(dead, filter(call));
    return Answer.json(new JsonObject().put("count", count));
  }

  private Answer now(Call call, String action, @Nullable String reason, SomeLetters some) {
    List<MessageId> ids = ids(call);
    int changed = some.change(letters(call), ids).size();
    log.done(
        call.caller(),
        action,
        "db",
        databases.of(call).name(),
        "of",
        path,
        "ids",
        ids.stream().map(MessageId::value).collect(Collectors.joining(",")),
        "reason",
        reason,
        "changed",
        changed);
    return Answer.changed(changed);
  }

  private Answer job(Call call, String action, @Nullable String reason, AllLetters all) {
    DeadLetterFilter filter = filter(call);
    DeadLetters dead = letters(call);
    Caller caller = call.caller();
    String db = databases.of(call).name();
    Job job = jobs.open(action, caller, count(dead, filter));
    String id = job.id();
    log.done(caller, action, "db", db, "of", path, "filter", filter, "reason", reason, "job", id);
    Bulk bulk = Bulk.by(caller.name()).stop(job::isStopping);
    jobs.run(
        job,
        goOn -> all.change(dead, filter, bulk.progress(goOn)),
        () ->
            log.done(
                caller,
                action + "-ended",
                "db",
                db,
                "of",
                path,
                "job",
                id,
                "state",
                job.state(),
                "changed",
                job.done()));
    return Answer.json(202, new JsonObject().put("job", job.id()));
  }

  private static Count count(DeadLetters dead, DeadLetterFilter filter) {
    DeadCount found = dead.count(filter);
    return new Count(found.number(), !found.exact());
  }

  private static List<MessageId> ids(Call call) {
    return call.body().texts("ids", MAX_IDS, EventCalls.MAX_ID).stream()
        .map(MessageId::new)
        .toList();
  }

  private DeadLetterFilter filter(Call call) {
    if (call.body().flag("all")) {
      return DeadLetterFilter.all();
    }
    Arguments filter = call.body().object("filter").only(filterFields).filled();
    if (filter.isEmpty()) {
      throw Problem.invalid(
          "filter",
          "An empty filter means all dead letters; if they are meant, say \"all\": true.");
    }
    return new DeadLetterFilter(
        filter.text("topic"),
        filter.text("tenant"),
        filter.text("source"),
        filter.text("correlation"),
        filter.text("error"),
        filter.instant("from"),
        filter.instant("to"));
  }

  private DeadLetters letters(Call call) {
    return letters.apply(databases.of(call));
  }

  private interface SomeLetters {
    Set<MessageId> change(DeadLetters dead, List<MessageId> ids);
  }

  private interface AllLetters {
    long change(DeadLetters dead, DeadLetterFilter filter, Bulk bulk);
  }
}
