package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import outbox.admin.json.JsonObject;

/** The REST API: finds out who calls and what for, checks both, and answers. */
final class Api implements AutoCloseable {
  /** The attribute of a request that holds who sent it, once that is known. */
  static final String CALLER = Api.class.getName() + ".caller";

  private static final Set<String> OUTBOX_FILTER =
      Set.of("topic", "tenant", "correlation", "from", "to", "error");
  private static final Set<String> INBOX_FILTER = Set.of("source", "topic", "from", "to", "error");

  private final Callers callers;
  private final OriginGuard origins;
  private final PayloadRule payloads;
  private final ActionLog log;
  private final Watches databases;
  private final Jobs jobs = new Jobs();
  private final Router router;

  Api(AdminConfig config, ActionLog log) {
    this.callers = config.callers;
    this.origins = config.origins;
    this.payloads = config.payloads;
    this.log = log;
    this.databases = new Watches(config.databases, config.thresholds, config.sampling);
    this.router = new Router(routes(config));
  }

  private List<Route> routes(AdminConfig config) {
    EventCalls events = new EventCalls(databases, log, payloads);
    List<Route> routes = new ArrayList<>();
    routes.add(Route.get("/session", Set.of(), this::session));
    routes.add(
        Route.get(
            "/openapi.json", Set.of(), call -> OpenApi.document(call.context() + config.apiPath)));
    routes.addAll(new StateCalls(databases, config.prometheus).routes());
    routes.addAll(events.routes());
    routes.addAll(
        new DeadLetterCalls(
                "/dead",
                OUTBOX_FILTER,
                databases,
                watch -> EventCalls.events(watch).deadLetters(),
                jobs,
                log)
            .routes());
    routes.addAll(new InboxCalls(databases, log, payloads).routes());
    routes.addAll(
        new DeadLetterCalls(
                "/inbox/dead",
                INBOX_FILTER,
                databases,
                watch -> InboxCalls.inbox(watch).deadLetters(),
                jobs,
                log)
            .routes());
    routes.addAll(new JoinCalls(databases, log).routes());
    routes.addAll(new JobCalls(jobs, log).routes());
    return routes;
  }

  List<Route> routes() {
    return router.routes();
  }

  /** The methods that a path answers to; empty if it is unknown. */
  String allowed(List<String> path) {
    return router.allowed(path);
  }

  /**
   * Checks all but the body.
   *
   * @param path the decoded segments below the API's own path
   */
  Exchange.Answering prepare(HttpServletRequest request, List<String> path) {
    boolean changes = !Set.of("GET", "HEAD").contains(request.getMethod());
    if (changes) {
      origins.check(request);
    }
    Caller caller = callers.identify(request).orElseThrow(Problem::unknownCaller);
    request.setAttribute(CALLER, caller);
    Router.Match match = router.find(request.getMethod(), path);
    Route route = match.route();
    if (!caller.may(route.role())) {
      throw Problem.forbidden("You may look, but not act.");
    }
    Arguments query = Query.parameters(request.getQueryString()).only(route.parameters());
    String context = request.getContextPath();
    String contentType = request.getContentType();
    return content -> {
      Arguments body = Body.parsed(content, contentType).only(route.fields());
      return route.handler().answer(new Call(caller, context, match.path(), query, body));
    };
  }

  private Answer session(Call call) {
    String version = Api.class.getPackage().getImplementationVersion();
    return Answer.json(
        new JsonObject()
            .put("user", call.caller().name())
            .put("canWrite", call.caller().may(Role.ADMIN))
            .put("payloads", payloads.visibleTo(call.caller()))
            .put("version", version == null ? "development" : version));
  }

  @Override
  public void close() {
    jobs.close();
    databases.close();
  }
}
