package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import outbox.admin.json.JsonObject;

/** The pages, and signing in and out of them. The pages hold no data, so everybody gets them. */
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

  void answer(HttpServletRequest request, HttpServletResponse response, List<String> path)
      throws IOException {
    boolean login = path.equals(LOGIN) || path.equals(LOGOUT);
    String allowed = login ? "OPTIONS, POST" : "GET, HEAD, OPTIONS";
    String method = request.getMethod();
    if (method.equals("OPTIONS")) {
      Reply.options(response, allowed);
    } else if (login && method.equals("POST")) {
      origins.check(request);
      Reply.send(
          response, path.equals(LOGIN) ? signIn(request, response) : signOut(request, response));
    } else if (!login && (method.equals("GET") || method.equals("HEAD"))) {
      page(request, response, path);
    } else {
      throw Reply.notAllowed(response, allowed);
    }
  }

  private void page(HttpServletRequest request, HttpServletResponse response, List<String> path)
      throws IOException {
    String context = request.getContextPath();
    Pages.Page page =
        pages
            .find(path, context + dashboardPath, context + apiPath)
            .orElseThrow(() -> Problem.notFound("There is no such page."));
    Reply.send(request, response, page);
  }

  private Answer signIn(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String secret = Body.read(request).only(Set.of("token")).requiredText("token", MAX_TOKEN);
    Token token =
        callers
            .tokens()
            .find(secret)
            .orElseThrow(() -> new Problem(401, "Not signed in", "This token is not known.", null));
    response.addHeader(
        "Set-Cookie", callers.cookie().signIn(token, request.isSecure(), cookiePath(request)));
    log.done(token.owner(), "sign-in");
    return Answer.json(new JsonObject().put("user", token.owner().name()));
  }

  private Answer signOut(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Body.read(request).only(Set.of());
    response.addHeader(
        "Set-Cookie", callers.cookie().signOut(request.isSecure(), cookiePath(request)));
    return Answer.json(new JsonObject());
  }

  /** The API may be outside the dashboard's own path, but is never outside the context. */
  private static String cookiePath(HttpServletRequest request) {
    return request.getContextPath().isEmpty() ? "/" : request.getContextPath();
  }
}
