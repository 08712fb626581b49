package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import outbox.admin.json.JsonObject;

/** The REST API: finds out who calls and what for, checks both, and answers. */
final class Api implements AutoCloseable {
  /** The attribute of a request that holds who sent it, once that is known. */
  static final String CALLER = Api.class.getName() + ".caller";

  private static final Set<String> OUTBOX_FILTER =
      Set.of("topic", "tenant", "correlation", "from", "to", "error");
  private static final Set<String> INBOX_FILTER = Set.of("source", "topic", "from", "to", "error");

  private final OriginGuard origins;
  private final PayloadRule payloads;
  private final ActionLog log;
  private final Watches databases;
  private final Jobs jobs = new Jobs();
  private final Section all;
  private final List<Section> sections = new ArrayList<>();

  Api(AdminConfig config, ActionLog log) {
    this.origins = config.origins;
    this.payloads = config.payloads;
    this.log = log;
    this.databases = new Watches(config.databases, config.thresholds, config.sampling);
    StateCalls state = new StateCalls(databases, config.prometheus);
    this.all = new Section(config.apiPath, config.callers, new Router(routes(config, state)));
    sections.add(all);
    if (config.health != null) {
      sections.add(section(config.health, state.healthRoutes("/")));
    }
    if (config.metrics != null) {
      sections.add(section(config.metrics, state.metricsRoutes("/")));
    }
    sections.sort(Comparator.comparingInt((Section it) -> it.path().length()).reversed());
  }

  private static Section section(AdminConfig.Endpoint endpoint, List<Route> routes) {
    return new Section(endpoint.path(), endpoint.access(), new Router(routes));
  }

  private List<Route> routes(AdminConfig config, StateCalls state) {
    EventCalls events = new EventCalls(databases, log, payloads);
    List<Route> routes = new ArrayList<>();
    routes.add(Route.get("/session", Set.of(), this::session));
    routes.add(
        Route.get(
            "/openapi.json", Set.of(), call -> OpenApi.document(call.context() + config.apiPath)));
    routes.addAll(state.routes());
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
    routes.addAll(new JoinCalls(databases, log, payloads).routes());
    routes.addAll(new JobCalls(jobs, log).routes());
    return routes;
  }

  List<Route> routes() {
    return all.router().routes();
  }

  /** The part of the API that a path below the context belongs to. */
  Optional<Section> section(String path) {
    return sections.stream().filter(section -> section.below(path).isPresent()).findFirst();
  }

  /**
   * Checks all but the body.
   *
   * @param path the decoded segments below the section's own path
   */
  Exchange.Answering prepare(HttpServletRequest request, Section section, List<String> path) {
    boolean changes = !Set.of("GET", "HEAD").contains(request.getMethod());
    if (changes) {
      origins.check(request);
    }
    Caller caller = section.caller(request);
    request.setAttribute(CALLER, caller);
    Router.Match match = section.router().find(request.getMethod(), path);
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
