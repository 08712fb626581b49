package outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.LoadState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.model.JoinIdentifier;

/** The dashboard as a person has it before them. */
@Tag("browser")
class DashboardBrowserTest {
  private static final int DESKTOP = 1280;
  private static final int PHONE = 390;
  private static final double PATIENCE_MS = 60_000;
  private static final long MINUTE_MS = 60_000;
  private static final String HTML = "<img src=x onerror=\"document.title='run'\"><b>bold</b>";

  private static final Site SITE = Site.start(settings -> settings.showPayloads(Role.READ));

  private static Chromium browser;
  private static String event = "";
  private static String join = "";

  @BeforeAll
  static void open() {
    browser = Chromium.launch();
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
    SampleQueue queue = SITE.queue();
    event =
        queue.dead(
            "html.shown",
            HTML,
            it -> it.tenantId(HTML).payloadJson("{\"note\":\"<b>bold</b>\",\"lines\":[1,2]}"));
    queue.retrying("mail.queued", "java.net.SocketTimeoutException: Read timed out");
    queue.done("order.placed");
    queue.leased("order.shipped");
    queue.receiveDead("carrier/eu", "parcel-1", HTML);
    queue.receive("bank", "payment-1", "{}");
    JoinIdentifier started =
        queue.outbox().joins().startJoin("checkout", 2, "{}", Duration.ofDays(1));
    join = started.value();
  }

  @AfterAll
  static void close() {
    browser.close();
    SITE.close();
  }

  static Stream<List<String>> views() {
    return Stream.of(
        List.of("", "Overview"),
        List.of("events?status=all", "Events"),
        List.of("events/" + event, "html.shown"),
        List.of("dead", "Dead letters"),
        List.of("inbox", "Inbox"),
        List.of("inbox/message?source=carrier%2Feu&messageId=parcel-1", "invoice"),
        List.of("joins", "Joins"),
        List.of("joins/" + join, "checkout"),
        List.of("nodes", "Nodes and leases"),
        List.of("databases", "Databases"),
        List.of("login", "Sign in"));
  }

  @ParameterizedTest
  @MethodSource("views")
  void opensEveryViewWithoutComplaint(List<String> view) {
    try (Tab tab = open(Site.ADMIN, view.get(0))) {
      assertThat(tab.heading(view.get(1))).isVisible();
      tab.page().waitForLoadState(LoadState.NETWORKIDLE);
      assertThat(tab.complaints()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("views")
  void fitsIntoTheWidthOfAPhone(List<String> view) {
    try (Tab tab = open(Site.ADMIN, view.get(0), PHONE)) {
      assertThat(tab.heading(view.get(1))).isVisible();
      tab.page().waitForLoadState(LoadState.NETWORKIDLE);
      assertThat(tab.scrollsSideways()).isFalse();
    }
  }

  @Test
  void keepsFilterThroughReloadBackAndForward() {
    SITE.queue().pending("filter.one");
    SITE.queue().pending("filter.two");
    try (Tab tab = open(Site.READER, "events")) {
      tab.page().getByLabel("Topic").fill("filter.one");
      tab.button("Search").click();
      assertThat(tab.rows()).hasCount(1);
      tab.page().reload();
      assertThat(tab.page().getByLabel("Topic")).hasValue("filter.one");
      assertThat(tab.rows()).hasCount(1);
      tab.page().goBack();
      assertThat(tab.page().getByLabel("Topic")).hasValue("");
      assertThat(tab.row("filter.two")).isVisible();
      tab.page().goForward();
      assertThat(tab.rows()).hasCount(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "events, Created from",
    "events?status=processed, Completed from",
    "events?status=failed, Created or died from",
    "events?status=dead, Died from",
    "dead, Died from",
    "inbox, First seen from",
    "inbox?status=done, Done from",
    "inbox?status=dead, Died from"
  })
  void theFilterSaysWhichTimeIsMeant(String view, String label) {
    try (Tab tab = open(Site.READER, view)) {
      assertThat(tab.page().locator("input[name=from]")).isVisible();
      assertThat(tab.page().getByLabel(label, new Page.GetByLabelOptions().setExact(true)))
          .isVisible();
    }
  }

  @ParameterizedTest
  @CsvSource({"events, ''", "dead, ''", "inbox, /inbox", "joins, /joins"})
  void aSearchThatEndedAtItsBoundSaysHowFarItCame(String view, String api) {
    try (Tab tab = open(Site.READER, "nodes")) {
      tab.page()
          .route(
              Pattern.compile(".*" + Site.API + api + "\\?.*"),
              route ->
                  route.fulfill(
                      new Route.FulfillOptions()
                          .setContentType("application/json")
                          .setBody(
                              "{\"items\":[],\"page\":1,\"pageSize\":50,\"next\":\"x\",\"previous\":null,"
                                  + "\"window\":{\"from\":\"2026-01-01T00:00:00Z\",\"to\":\"2026-01-02T00:00:00Z\"}}")));
      tab.page().navigate(SITE.address() + view);
      assertThat(tab.page().getByText("The search has covered")).isVisible();
    }
  }

  @Test
  void aNodeLeadsToTheEventsThatItWorksOn() {
    String wanted = SITE.queue().leased("owned.one");
    SITE.queue().leased("owned.two");
    String owner = requireNonNull(SITE.get("/" + wanted).value("/owner"));
    try (Tab tab = open(Site.READER, "nodes")) {
      tab.row(owner).getByRole(AriaRole.LINK).click();
      assertThat(tab.row("owned.one")).isVisible();
      assertThat(tab.rows()).hasCount(1);
      tab.page().reload();
      assertThat(tab.page().getByLabel("Node or owner")).hasValue(owner);
      assertThat(tab.rows()).hasCount(1);
      tab.page().locator("nav.tabs >> text=Scheduled").click();
      assertThat(tab.page().getByLabel("Node or owner")).hasCount(0);
      assertThat(tab.complaints()).isEmpty();
    }
  }

  @Test
  void replaysDeadLetterWhichIsGoneThen() {
    String id = SITE.queue().dead("replay.one", "out of paper");
    try (Tab tab = open(Site.ADMIN, "dead?topic=replay.one")) {
      tab.row(id).getByRole(AriaRole.CHECKBOX).check();
      tab.button("Replay selected").click();
      tab.confirmation().click();
      assertThat(tab.page().getByText("No dead letters.")).isVisible();
    }
    assertThat(SITE.get("/" + id).value("/status")).isEqualTo("NEW");
  }

  @Test
  void replaysOneFromItsOwnPage() {
    String id = SITE.queue().dead("replay.page", "out of paper");
    try (Tab tab = open(Site.ADMIN, "events/" + id)) {
      tab.button("Replay").click();
      tab.confirmation().click();
      assertThat(tab.page().locator("h1 .badge")).hasText("new");
    }
  }

  @Test
  void asksForHowLongBeforeItDefers() {
    String id = SITE.queue().pending("defer.page");
    try (Tab tab = open(Site.ADMIN, "events/" + id)) {
      tab.button("Defer").click();
      tab.page().getByLabel("Seconds from now").fill("3600");
      tab.confirmation().click();
      assertThat(tab.page().getByText("Done.")).isVisible();
      assertThat(tab.page().locator(".timeline")).containsText("due");
    }
    assertThat(SITE.get("/" + id).value("/dueAt")).isNotNull();
  }

  @Test
  void countsBeforeItReplaysByFilter() {
    for (int i = 0; i < 3; i++) {
      SITE.queue().dead("replay.many", "out of paper");
    }
    String other = SITE.queue().dead("replay.other", "out of paper");
    try (Tab tab = open(Site.ADMIN, "dead?topic=replay.many")) {
      tab.button("Replay all matching…").click();
      assertThat(tab.heading("Replay 3?")).isVisible();
      assertThat(tab.page().locator("dialog")).containsText("topic replay.many");
      assertThat(tab.rows()).hasCount(3);
      tab.confirmation().click();
      assertThat(tab.page().getByText("No dead letters.")).isVisible();
    }
    assertThat(SITE.get("/" + other).value("/status")).isEqualTo("DEAD");
  }

  @Test
  void readerSeesNoActionsAndMayDoNone() {
    try (Tab tab = open(Site.READER, "dead")) {
      assertThat(tab.page().getByText("Read-only: actions")).isVisible();
      assertThat(tab.page().locator("input[type=checkbox]")).hasCount(0);
      Object status =
          tab.page()
              .evaluate(
                  "path => fetch(path, {method: 'POST', headers: {'X-Outbox-Action': '1'}})"
                      + ".then(answer => answer.status)",
                  Site.API + "/" + event + "/replay");
      assertThat(status).isEqualTo(403);
    }
    assertThat(SITE.get("/" + event).value("/status")).isEqualTo("DEAD");
  }

  @Test
  void showsHtmlAndNeverRunsIt() {
    try (Tab tab = open(Site.READER, "events/" + event)) {
      tab.button("Show").click();
      assertThat(tab.page().locator("pre.payload")).containsText("\"note\": \"<b>bold</b>\"");
      assertThat(tab.page().locator("section.card.bad pre")).hasText(HTML);
      assertThat(tab.page().locator("main img, main b")).hasCount(0);
      assertThat(tab.page()).hasTitle(Pattern.compile(event));
      tab.page().navigate(SITE.address() + "inbox");
      assertThat(tab.row("parcel-1")).containsText("<img src=x");
      assertThat(tab.page().locator("main img, main b")).hasCount(0);
      assertThat(tab.complaints()).isEmpty();
    }
  }

  @Test
  void signsInWithTokenAndGoesWhereItWasWanted() {
    try (Tab tab = browser.open(options(DESKTOP))) {
      tab.page().navigate(SITE.address() + "dead?topic=html.shown");
      tab.page().getByLabel("Token").fill("not-a-token-0123456789");
      tab.button("Sign in").click();
      assertThat(tab.page().getByText("This token is not known.")).isVisible();
      tab.page().getByLabel("Token").fill(Site.ADMIN);
      tab.button("Sign in").click();
      assertThat(tab.row("html.shown")).isVisible();
      tab.button("Sign out").click();
      assertThat(tab.heading("Sign in")).isVisible();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example",
        "/%5Cevil.example",
        "/%09/evil.example",
        "//%5B",
        "https://evil.example",
        "javascript:document.title='run'"
      })
  void signingInLeadsToNoOtherSite(String to) {
    try (Tab tab = browser.open(options(DESKTOP))) {
      tab.page().navigate(SITE.address() + "login?to=" + to);
      tab.page().getByLabel("Token").fill(Site.READER);
      tab.button("Sign in").click();
      assertThat(tab.heading("Overview")).isVisible();
      assertThat(tab.page()).hasURL(SITE.address().toString());
    }
  }

  @Test
  void isUsedByKeyboard() {
    try (Tab tab = open(Site.READER, "events?status=all")) {
      assertThat(tab.rows().first()).isVisible();
      tab.page().keyboard().press("?");
      assertThat(tab.heading("Keyboard")).isVisible();
      tab.page().keyboard().press("Escape");
      tab.page().keyboard().press("/");
      assertThat(tab.page().getByLabel("Topic")).isFocused();
      tab.page().keyboard().press("Escape");
      tab.page().keyboard().press("j");
      assertThat(tab.rows().first()).isFocused();
      tab.page().keyboard().press("Enter");
      assertThat(tab.page()).hasURL(Pattern.compile(".*/events/.+"));
    }
  }

  @Test
  void staysAsItIsWhilePaused() {
    try (Tab tab = browser.open(authorized(Site.READER, DESKTOP))) {
      tab.page().clock().install();
      tab.page().navigate(SITE.address() + "events?topic=live.one");
      assertThat(tab.page().getByText("No event matches.")).isVisible();
      tab.button("Live").click();
      assertThat(tab.button("Paused")).isVisible();
      SITE.queue().pending("live.one");
      List<String> asked = new CopyOnWriteArrayList<>();
      tab.page().onRequest(request -> asked.add(request.url()));
      tab.page().clock().runFor(MINUTE_MS);
      String last = Site.API + "/session";
      tab.page().evaluate("path => fetch(path).then(answer => answer.text())", last);
      assertThat(asked).singleElement().asString().endsWith(last);
      assertThat(tab.rows()).hasCount(0);
      tab.button("Paused").click();
      assertThat(tab.rows()).hasCount(1);
      SITE.queue().pending("live.one");
      tab.page().clock().runFor(MINUTE_MS);
      assertThat(tab.rows()).hasCount(2);
    }
  }

  @Test
  void saysThatTheServerIsGoneAndRecovers() {
    try (Tab tab = open(Site.READER, "nodes")) {
      assertThat(tab.rows().first()).isVisible();
      tab.page().route("**" + Site.API + "/**", route -> route.abort());
      assertThat(tab.page().getByText("cannot be reached")).isVisible();
      assertThat(tab.rows().first()).isVisible();
      tab.page().unroute("**" + Site.API + "/**");
      assertThat(tab.page().getByText("cannot be reached")).hasCount(0);
    }
  }

  private static Tab open(String token, String path) {
    return open(token, path, DESKTOP);
  }

  private static Tab open(String token, String path, int width) {
    Tab tab = browser.open(authorized(token, width));
    tab.page().navigate(SITE.address() + path);
    return tab;
  }

  private static Browser.NewContextOptions authorized(String token, int width) {
    return options(width).setExtraHTTPHeaders(Map.of("Authorization", "Bearer " + token));
  }

  private static Browser.NewContextOptions options(int width) {
    return new Browser.NewContextOptions()
        .setViewportSize(width, 800)
        .setColorScheme(ColorScheme.DARK);
  }
}
