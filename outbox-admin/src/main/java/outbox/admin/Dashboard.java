package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Set;
import outbox.admin.json.JsonObject;

/** The pages, and signing in and out of them. The pages hold no data and need no sign-in. */
final class Dashboard {
  private static final List<String> LOGIN = List.of("ui", "login");
  private static final List<String> LOGOUT = List.of("ui", "logout");
  private static final int MAX_TOKEN = 1_000;

  private final Pages pages = new Pages();
  private final String dashboardPath;
  private final String apiPath;
  private final Callers callers;
  private final OriginGuard origins;
  private final ActionLog log;

  Dashboard(AdminConfig config, String dashboardPath, ActionLog log) {
    this.dashboardPath = dashboardPath;
    this.apiPath = config.apiPath;
    this.callers = config.callers;
    this.origins = config.origins;
    this.log = log;
  }

  String path() {
    return dashboardPath;
  }

  /** Checks all but the body. */
  Exchange.Answering prepare(
      HttpServletRequest request, HttpServletResponse response, List<String> path) {
    boolean login = path.equals(LOGIN) || path.equals(LOGOUT);
    String allowed = login ? "OPTIONS, POST" : "GET, HEAD, OPTIONS";
    String method = request.getMethod();
    if (method.equals("OPTIONS")) {
      return body -> Answer.options(allowed);
    }
    if (login && method.equals("POST")) {
      origins.check(request);
      return path.equals(LOGIN)
          ? body -> signIn(request, response, body)
          : body -> signOut(request, response, body);
    }
    if (!login && (method.equals("GET") || method.equals("HEAD"))) {
      Answer page = page(request, path);
      return body -> page;
    }
    response.setHeader("Allow", allowed);
    throw new Problem(405, "Method not allowed", "This address answers to: " + allowed + ".", null);
  }

  private Answer page(HttpServletRequest request, List<String> path) {
    String context = request.getContextPath();
    Pages.Page page =
        pages
            .find(path, context + dashboardPath, context + apiPath)
            .orElseThrow(() -> Problem.notFound("There is no such page."));
    return Answer.of(page, request.getHeader("If-None-Match"));
  }

  private Answer signIn(HttpServletRequest request, HttpServletResponse response, byte[] body) {
    String secret =
        Body.parsed(body, request.getContentType())
            .only(Set.of("token"))
            .requiredText("token", MAX_TOKEN);
    Token token =
        callers
            .tokens()
            .find(secret, request.getRemoteAddr())
            .orElseThrow(() -> new Problem(401, "Not signed in", "This token is not known.", null));
    response.addHeader("Set-Cookie", callers.cookie().signIn(token, request));
    log.done(token.owner(), "sign-in");
    return Answer.json(new JsonObject().put("user", token.owner().name()));
  }

  private Answer signOut(HttpServletRequest request, HttpServletResponse response, byte[] body) {
    Body.parsed(body, request.getContentType()).only(Set.of());
    response.addHeader("Set-Cookie", callers.cookie().signOut(request));
    return Answer.json(new JsonObject());
  }
}
