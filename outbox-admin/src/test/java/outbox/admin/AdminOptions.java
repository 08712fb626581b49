package outbox.admin;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import outbox.admin.Site.Reply;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.HealthThresholds;
import tools.jackson.databind.JsonNode;

/**
 * Each option of {@link AdminConfig.Builder}, how it is set, what shows its effect to those who ask
 * the server, and what they see without and with it.
 */
final class AdminOptions {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final String TOKEN = "another-token-0123456789";
  private static final HealthThresholds STRICT = HealthThresholds.DEFAULT.withBacklog(1, 1);

  private AdminOptions() {}

  /** What is seen without the option, or with it. */
  @FunctionalInterface
  interface Experiment {
    Object see(boolean set) throws Exception;
  }

  /**
   * One option.
   *
   * @param option its name and the types of its parameters
   * @param documented its default on the page about administration
   */
  record Row(String option, String documented, Experiment experiment, Object usual, Object other) {
    @Override
    public String toString() {
      return option;
    }
  }

  static List<Row> rows() {
    return List.of(
        row(
            "database(OperatedDatabase)",
            "",
            it -> it.database(OperatedDatabase.builder("more", new JdbcDataSource()).build()),
            site -> site.get("/databases").each("", "name"),
            List.of("main"),
            List.of("main", "more")),
        row(
            "readToken(String, String)",
            "",
            it -> it.readToken("rosa", TOKEN),
            site -> caller(site, "Authorization", "Bearer " + TOKEN),
            "401",
            "rosa reads"),
        row(
            "adminToken(String, String)",
            "",
            it -> it.adminToken("adam", TOKEN),
            site -> caller(site, "Authorization", "Bearer " + TOKEN),
            "401",
            "adam writes"),
        new Row(
            "containerRoles(String, String)",
            "",
            set -> usersOfContainer(it -> set ? it.containerRoles("ops", "ops-admin") : it),
            List.of("401", "401"),
            List.of("ops reads", "ops-admin writes")),
        row(
            "access(Access)",
            "",
            it -> it.access(request -> Optional.of(new Caller("paula", Role.READ))),
            AdminOptions::caller,
            "401",
            "paula reads"),
        row(
            "anonymousRead()",
            "off",
            AdminConfig.Builder::anonymousRead,
            AdminOptions::caller,
            "401",
            "anonymous reads"),
        row(
            "login(Duration)",
            "12 h",
            it -> it.login(Duration.ofHours(2)),
            AdminOptions::cookie,
            Duration.ofHours(12),
            Duration.ofHours(2)),
        row(
            "allowedOrigin(String)",
            "the own host",
            it -> it.allowedOrigin("https://ops.example"),
            site -> actFrom(site, "https://ops.example"),
            403,
            200),
        row(
            "allowedHost(String)",
            "every host",
            it -> it.allowedHost("ops.example"),
            site -> List.of(askFor(site, "ops.example"), askFor(site, "other.example")),
            List.of("401", "401"),
            List.of("401", "403")),
        row(
            "healthEndpoint(String, Access)",
            "",
            it -> it.healthEndpoint("/probe", Access.anonymous()),
            site -> text(site, "/probe").startsWith("{\"status\":"),
            false,
            true),
        row(
            "metricsEndpoint(String, Access)",
            "",
            it -> it.metricsEndpoint("/figures", Access.anonymous()),
            site -> text(site, "/figures").startsWith("{\"databases\":"),
            false,
            true),
        row(
            "showPayloads(Role)",
            "no role",
            it -> it.showPayloads(Role.READ),
            AdminOptions::payload,
            403,
            200),
        new Row(
            "redaction(Redaction)",
            "none",
            set -> shownPayload(it -> set ? it.redaction((topic, payload) -> "gone") : it),
            "{\"n\":1}",
            "gone"),
        row(
            "apiPath(String)",
            "`/api/workflow/outbox`",
            it -> it.apiPath("/elsewhere"),
            site -> answering(site, "/session", "/api/workflow/outbox", "/elsewhere"),
            List.of("/api/workflow/outbox"),
            List.of("/elsewhere")),
        row(
            "dashboardPath(String)",
            "the root",
            it -> it.dashboardPath("/pages"),
            site -> answering(site, "/ui/app.css", "", "/pages"),
            List.of(""),
            List.of("/pages")),
        row(
            "withoutDashboard()",
            "the root",
            AdminConfig.Builder::withoutDashboard,
            site -> answering(site, "/ui/app.css", "", "/pages"),
            List.of(""),
            List.of()),
        row(
            "prometheus()",
            "off",
            AdminConfig.Builder::prometheus,
            site -> site.get("/metrics/prometheus").status(),
            404,
            200),
        row(
            "thresholds(HealthThresholds)",
            "[those of health](metrics.md#health)",
            it -> it.thresholds(STRICT),
            AdminOptions::healthOfOne,
            200,
            503),
        new Row(
            "sampling(Duration)",
            "10 s",
            AdminOptions::sampling,
            Duration.ofSeconds(10),
            "more often"));
  }

  /** An option whose effect can be seen of a server, with all else by default. */
  private static Row row(
      String option,
      String documented,
      UnaryOperator<AdminConfig.Builder> setting,
      Function<Site, Object> look,
      Object usual,
      Object other) {
    Experiment experiment =
        set -> {
          try (Site site = Site.start(it -> set ? setting.apply(it) : it)) {
            return look.apply(site);
          }
        };
    return new Row(option, documented, experiment, usual, other);
  }

  /** Whom the server takes the sender of these headers for. */
  private static Object caller(Site site, String... headers) {
    var request = site.request("GET", Site.API + "/session", null);
    return session(site.send(headers.length == 0 ? request : request.headers(headers)).text());
  }

  private static String session(String answer) {
    Matcher user =
        Pattern.compile("\"user\":\"([^\"]*)\",\"canWrite\":(true|false)").matcher(answer);
    if (user.find()) {
      return user.group(1) + (user.group(2).equals("true") ? " writes" : " reads");
    }
    Matcher status = Pattern.compile("\"status\":(\\d+)").matcher(answer);
    return status.find() ? status.group(1) : answer;
  }

  private static Object usersOfContainer(UnaryOperator<AdminConfig.Builder> settings) {
    try (Container container = Container.start(settings)) {
      return Stream.of("ops", "ops-admin")
          .map(role -> Container.ROLE + ": " + role)
          .map(role -> Wire.get(container.address(), "/app" + Site.API + "/session", role))
          .map(AdminOptions::session)
          .toList();
    }
  }

  private static Object cookie(Site site) {
    String token = "{\"token\":\"" + Site.READER + "\"}";
    Reply in = site.send(site.request("POST", "/ui/login", token).header("X-Outbox-Action", "1"));
    Matcher age = Pattern.compile("Max-Age=(\\d+)").matcher(in.header("Set-Cookie").orElse(""));
    return age.find() ? Duration.ofSeconds(Long.parseLong(age.group(1))) : "no cookie";
  }

  private static Object actFrom(Site site, String origin) {
    return site.send(
            site.action("/" + site.queue().dead("order", "boom") + "/replay", null)
                .header("Authorization", "Bearer " + Site.ADMIN)
                .header("Origin", origin))
        .status();
  }

  private static String askFor(Site site, String host) {
    try (Wire wire = Wire.to(site.address())) {
      return session(
          wire.send(
                  "GET " + Site.API + "/session HTTP/1.1\r\nConnection: close\r\n",
                  "Host: " + host + "\r\n\r\n")
              .answer());
    }
  }

  private static String text(Site site, String path) {
    return site.send(site.request("GET", path, null)).text();
  }

  private static Object payload(Site site) {
    String id = site.queue().pending("order");
    return site.get("/" + id + "?payload=true").status();
  }

  private static Object shownPayload(UnaryOperator<AdminConfig.Builder> settings) {
    try (Site site = Site.start(it -> settings.apply(it.showPayloads(Role.READ)))) {
      String id = site.queue().pending("order");
      return requireNonNull(site.get("/" + id + "?payload=true").value("/payload/text"));
    }
  }

  /** Those of the paths below which something is. */
  private static Object answering(Site site, String below, String... paths) {
    List<String> found = new ArrayList<>();
    for (String path : paths) {
      var request = site.request("GET", path + below, null);
      if (site.send(request.header("Authorization", "Bearer " + Site.READER)).status() == 200) {
        found.add(path);
      }
    }
    return found;
  }

  private static Object healthOfOne(Site site) {
    site.queue().pending("order");
    await()
        .atMost(LONG)
        .until(() -> "1".equals(site.get("/metrics").value("/databases/0/snapshot/backlog/value")));
    return site.get("/health").status();
  }

  /** Waiting for the second point of the default would take as long as that. */
  private static Object sampling(boolean set) {
    if (!set) {
      OperatedDatabase database = OperatedDatabase.builder("main", new JdbcDataSource()).build();
      return AdminConfig.builder(database).anonymousRead().build().sampling;
    }
    try (Site site = Site.start(it -> it.sampling(Duration.ofMillis(100)))) {
      JsonNode series =
          await()
              .atMost(LONG)
              .until(() -> site.get("/overview").json().at("/series"), it -> it.size() > 1);
      Duration between = Duration.between(at(series, 0), at(series, 1));
      return between.compareTo(AdminConfig.DEFAULT_SAMPLING) < 0 ? "more often" : between;
    }
  }

  private static Instant at(JsonNode series, int point) {
    return Instant.parse(series.get(point).get("at").asString());
  }
}
