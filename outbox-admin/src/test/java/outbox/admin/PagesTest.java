package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.Site.Reply;

class PagesTest {
  private static Site site;

  @BeforeAll
  static void start() {
    site = Site.start();
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/events?status=dead", "/events/01X", "/dead", "/inbox/message", "/login"})
  void everyViewIsTheOnePageWhichKnowsItsAddresses(String path) {
    Reply reply = page(path);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("Content-Type")).hasValue("text/html;charset=utf-8");
    assertThat(reply.text())
        .contains("name=\"outbox-api\" content=\"/api/workflow/outbox\"", "<base href=\"/\">");
  }

  @Test
  void thePageHasNoInlineCodeAndItsPolicyForbidsSome() {
    Reply reply = page("/");

    assertThat(reply.header("Content-Security-Policy"))
        .hasValueSatisfying(
            policy -> assertThat(policy).contains("default-src 'self'").doesNotContain("unsafe"));
    assertThat(reply.header("X-Frame-Options")).hasValue("DENY");
    assertThat(reply.text())
        .doesNotContainPattern("<script(?![^>]*src=)")
        .doesNotContainPattern("<style|\\sstyle=|\\son[a-z]+=");
  }

  @Test
  void everythingThatThePageLoadsIsThere() {
    Matcher links = Pattern.compile("(?:src|href)=\"(ui/[^\"]+)\"").matcher(page("/").text());
    int found = 0;
    while (links.find()) {
      found++;
      Reply reply = page("/" + links.group(1));
      assertThat(reply.status()).as(links.group(1)).isEqualTo(200);
      assertThat(reply.header("X-Content-Type-Options")).hasValue("nosniff");
    }
    assertThat(found).isGreaterThan(3);
    assertThat(page("/ui/lib/chart.js").text()).contains("Chart.js v4");
  }

  @Test
  void aFileThatIsKnownIsNotSentAgain() {
    Reply first = page("/ui/app.css");
    Reply second =
        site.send(
            site.request("GET", "/ui/app.css", null)
                .header("If-None-Match", first.header("ETag").orElseThrow()));

    assertThat(first.header("Content-Type")).hasValue("text/css;charset=utf-8");
    assertThat(second.status()).isEqualTo(304);
    assertThat(second.text()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ui/none.js",
        "/ui/",
        "/ui/js",
        "/ui/js/",
        "/ui/js/views/",
        "/ui/css",
        "/ui/x.js/js",
        "/ui/index.html",
        "/ui/..%2fopenapi.json",
        "/ui/%2e%2e/openapi.json",
        "/ui/js/%2e%2e/%2e%2e/openapi.json",
        "/ui/js%5c..%5capp.css",
        "/ui/lib/chart.js%00.css",
        "/WEB-INF/web.xml",
        "/META-INF/MANIFEST.MF",
        "/favicon.ico",
        "/unknown"
      })
  void nothingElseIsServed(String path) {
    Reply reply = page(path);

    assertThat(reply.status()).isIn(400, 404);
    assertThat(reply.text()).doesNotContain("openapi\"", "Manifest", "Tomcat");
  }

  @Test
  void headIsGetWithoutABody() {
    Reply api =
        site.send(
            site.request("HEAD", Site.API + "/session", null)
                .header("Authorization", "Bearer " + Site.READER));
    Reply page = site.send(site.request("HEAD", "/", null));

    assertThat(api.status()).isEqualTo(200);
    assertThat(api.text()).isEmpty();
    assertThat(api.header("Content-Length")).isPresent();
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text()).isEmpty();
  }

  @Test
  void optionsNamesTheMethodsAndAllowsNoOtherOrigin() {
    Reply api = site.send(site.request("OPTIONS", Site.API + "/dead/replay", null));
    Reply page = site.send(site.request("OPTIONS", "/", null));

    assertThat(api.status()).isEqualTo(204);
    assertThat(api.header("Allow")).hasValue("OPTIONS, POST");
    assertThat(page.header("Allow")).hasValue("GET, HEAD, OPTIONS");
    assertThat(api.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
    assertThat(site.send(site.request("POST", "/", null)).status()).isEqualTo(405);
    assertThat(site.send(site.request("GET", "/ui/login", null)).status()).isEqualTo(405);
  }

  @Test
  void theApplicationMovesApiAndPages() {
    try (Site moved = Site.start(it -> it.apiPath("/ops/api").dashboardPath("/ops"))) {
      assertThat(moved.send(moved.request("GET", "/ops", null)).text())
          .contains("content=\"/ops/api\"", "<base href=\"/ops/\">");
      assertThat(
              moved
                  .send(
                      moved
                          .request("GET", "/ops/api/session", null)
                          .header("Authorization", "Bearer " + Site.READER))
                  .status())
          .isEqualTo(200);
      assertThat(moved.send(moved.request("GET", "/", null)).status()).isEqualTo(404);
      assertThat(moved.get("/session").status()).isEqualTo(404);
    }
  }

  @Test
  void withoutTheDashboardThereIsOnlyTheApi() {
    try (Site bare = Site.start(AdminConfig.Builder::withoutDashboard)) {
      assertThat(bare.send(bare.request("GET", "/", null)).status()).isEqualTo(404);
      assertThat(bare.get("/session").status()).isEqualTo(200);
    }
  }

  private static Reply page(String path) {
    return site.send(site.request("GET", path, null));
  }
}
