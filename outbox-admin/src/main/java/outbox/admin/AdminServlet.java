package outbox.admin;

import static java.util.Objects.requireNonNull;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.InvalidQueryException;
import outbox.admin.data.TooSlowException;
import outbox.internal.text.Ulid;
import outbox.spi.StoreException;

/**
 * The REST API and the dashboard as one servlet for any Jakarta container. Map it to {@code /*} of
 * a context or, beside other servlets, to all of {@link AdminConfig#mappings}. It begins to look at
 * the databases when the container initialises it, and ends when that destroys it.
 */
public final class AdminServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = System.getLogger(AdminServlet.class.getName());

  private final transient AdminConfig config;
  private final transient HostGuard hosts;
  private final transient Exchange exchange;
  private final transient ActionLog log = new ActionLog();
  private final transient @Nullable Dashboard dashboard;
  private transient volatile @Nullable Api api;

  /** A servlet of its own for each configuration. */
  public AdminServlet(AdminConfig config) {
    this(config, config.hosts, new BlockingExchange());
  }

  AdminServlet(AdminConfig config, HostGuard hosts, Exchange exchange) {
    this.config = requireNonNull(config, "config");
    this.hosts = hosts;
    this.exchange = exchange;
    this.dashboard =
        config.dashboardPath == null ? null : new Dashboard(config, config.dashboardPath, log);
  }

  @Override
  public void init() {
    api = new Api(config, log);
  }

  @Override
  public void destroy() {
    Api running = api;
    api = null;
    if (running != null) {
      running.close();
    }
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    exchange.run(request, response, understood(request, response));
  }

  /**
   * Judges a request before its body is read: who sent it is known to the container's thread alone.
   * A refusal waits for the body too, which the container would else read on its own.
   */
  private Exchange.Answering understood(HttpServletRequest request, HttpServletResponse response) {
    try {
      Exchange.Answering prepared = prepare(request, response);
      return body -> {
        try {
          return prepared.answer(body);
        } catch (RuntimeException e) {
          return refusal(request, e);
        }
      };
    } catch (RuntimeException e) {
      Answer refusal = refusal(request, e);
      return body -> refusal;
    }
  }

  private Answer refusal(HttpServletRequest request, RuntimeException e) {
    if (e instanceof Problem problem) {
      noteRefusal(request, problem);
      return Answer.of(problem);
    }
    return Answer.of(
        e instanceof InvalidQueryException invalid
            ? Problem.invalid(invalid.field(), invalid.getMessage() + ".")
            : failure(e));
  }

  private Exchange.Answering prepare(HttpServletRequest request, HttpServletResponse response) {
    hosts.check(request);
    String path = Query.path(request);
    Api running = api;
    if (running == null) {
      throw new Problem(503, "Not ready", "The servlet is starting or stopping.", null);
    }
    Optional<Section> section = running.section(path);
    if (section.isPresent()) {
      return prepare(running, section.get(), request, response, path);
    }
    if (dashboard == null || !(path + "/").startsWith(dashboard.path() + "/")) {
      throw Problem.notFound("There is nothing at this address.");
    }
    return dashboard.prepare(
        request, response, Query.segments(path.substring(dashboard.path().length())));
  }

  private static Exchange.Answering prepare(
      Api api,
      Section section,
      HttpServletRequest request,
      HttpServletResponse response,
      String address) {
    List<String> path = Query.segments(section.below(address).orElseThrow());
    String allowed = section.router().allowed(path);
    if (request.getMethod().equals("OPTIONS") && !allowed.isEmpty()) {
      return body -> Answer.options(allowed);
    }
    if (!allowed.isEmpty()) {
      response.setHeader("Allow", allowed);
    }
    return api.prepare(request, section, path);
  }

  private void noteRefusal(HttpServletRequest request, Problem problem) {
    boolean wrongCredentials =
        problem.status() == 401
            && (Callers.bringsCredentials(request) || request.getMethod().equals("POST"));
    if (wrongCredentials || problem.status() == 403) {
      log.refused(
          (Caller) request.getAttribute(Api.CALLER),
          request.getRemoteAddr(),
          problem.status(),
          request.getMethod(),
          request.getRequestURI());
    }
  }

  /** Says nothing of what went wrong but where it can be read. */
  private static Problem failure(RuntimeException e) {
    String reference = Ulid.next();
    LOG.log(Level.WARNING, "OUTBOX_ADMIN_FAILED reference=" + reference, e);
    String where = " The log has it under " + reference + ".";
    if (e instanceof TooSlowException) {
      return new Problem(
          503,
          "Too slow",
          "The database took too long, so the question was withdrawn; narrow it down." + where,
          null);
    }
    return e instanceof StoreException
        ? new Problem(503, "Database unavailable", "The database could not do this." + where, null)
        : new Problem(500, "Internal error", "Something went wrong here." + where, null);
  }
}
