package outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/** What the dashboard says of times and figures. */
@Tag("slow")
@Tag("browser")
class DashboardFiguresTest {
  private static final double PATIENCE_MS = 60_000;

  private static final Site SITE = Site.start();

  private static Chromium browser;

  @BeforeAll
  static void open() {
    browser = Chromium.launch();
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
  }

  @AfterAll
  static void close() {
    browser.close();
    SITE.close();
  }

  @Test
  void theWaitForTheDueTimeIsNoPartOfWhatAnEventTook() {
    String id = SITE.queue().done("took.one");
    update(
        id,
        "created_at = TIMESTAMP WITH TIME ZONE '2026-01-01 10:00:00+00',"
            + " due_at = TIMESTAMP WITH TIME ZONE '2026-01-01 11:00:00+00',"
            + " done_at = TIMESTAMP WITH TIME ZONE '2026-01-01 11:00:07+00'");
    try (Tab tab = open("events/" + id)) {
      assertThat(tab.page().locator("dt:text-is('Took') + dd")).hasText("7 s");
    }
  }

  @Test
  void dueTimeAndLeaseOfALeasedEventAreShownApart() {
    String id = SITE.queue().leased("leased.one");
    update(id, "due_at = DATEADD(HOUR, -3, CURRENT_TIMESTAMP)");
    update(id, "created_at = DATEADD(HOUR, -9, CURRENT_TIMESTAMP)");
    for (String status : List.of("pending", "leased", "all")) {
      try (Tab tab = open("events?status=" + status + "&topic=leased.one")) {
        assertThat(tab.row(id).locator("td[data-label^=due]"))
            .containsText(Pattern.compile("^3 h( \\d+ min)? ago$"));
        assertThat(tab.row(id).locator("td[data-label='lease ends']"))
            .containsText(Pattern.compile("^in \\d+ min"));
      }
    }
  }

  @Test
  void listAndPageOfAJoinCountAlike() {
    JoinIdentifier join = SITE.queue().outbox().joins().startJoin("alike", 5, null, null);
    String completed = SITE.queue().pending("step");
    String failed = SITE.queue().pending("step");
    for (String step : List.of(completed, failed, SITE.queue().pending("step"))) {
      SITE.queue().outbox().joins().attach(join, new MessageId(step));
    }
    SITE.queue().outbox().joins().reportStepCompleted(join, new MessageId(completed));
    SITE.queue().outbox().joins().reportStepFailed(join, new MessageId(failed));
    try (Tab tab = open("joins?groupingKey=alike")) {
      assertThat(tab.row("alike")).containsText("2 of 5 ended, 1 failed");
      tab.row("alike").locator("a").click();
      assertThat(tab.page().locator("dl.facts").first()).containsText("2 of 5 ended, 1 failed");
    }
  }

  @Test
  void axesOfTimeHaveRoundTicks() {
    try (Tab tab = browser.open(options())) {
      tab.page()
          .route(
              Pattern.compile(".*/overview(\\?.*)?$"),
              route -> {
                String answer = SITE.get("/overview").text();
                route.fulfill(
                    new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(answer.replaceFirst("\"series\":\\[.*?\\]", series())));
              });
      tab.page().navigate(SITE.address().toString());
      assertThat(tab.page().locator(".figure").first()).isVisible();
      assertThat(ticks(tab, 2, "y")).containsExactly("0s", "5m", "10m", "15m", "20m");
      for (int chart = 0; chart < 3; chart++) {
        assertThat(ticks(tab, chart, "x")).containsExactly("10:15", "10:30", "10:45", "11:00");
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static List<String> ticks(Tab tab, int chart, String axis) {
    return (List<String>)
        tab.page()
            .evaluate(
                "([n, axis]) => Chart.getChart(document.querySelectorAll('canvas')[n])"
                    + ".scales[axis].ticks.map((tick) => tick.label)",
                List.of(chart, axis));
  }

  /** An hour with an age that has grown to 17 minutes. */
  private static String series() {
    Instant start = Instant.parse("2026-01-01T10:03:27Z");
    return IntStream.range(0, 360)
        .mapToObj(
            n ->
                "{\"at\":\""
                    + start.plusSeconds(10L * n)
                    + "\",\"backlog\":1,\"scheduled\":0,\"dead\":0,\"processedPerSecond\":1,"
                    + "\"failedPerSecond\":0,\"oldestAgeMs\":"
                    + 2_900L * n
                    + "}")
        .collect(Collectors.joining(",", "\"series\":[", "]"));
  }

  @ParameterizedTest
  @CsvSource({"'', .figure", "databases, td.text"})
  void figuresThatStandStillAreNotCalledLive(String path, String figure) throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean away = new AtomicBoolean();
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      new SampleQueue(database.dataSource());
      OperatedDatabase late =
          LateDatabase.of(
              "late",
              database,
              Duration.ofSeconds(1),
              () -> {
                if (away.get()) {
                  answers.await();
                }
              });
      AdminConfig config = AdminConfig.builder(late).readToken("rita", Site.READER).build();
      try (AdminServer server = AdminServer.start(config, "127.0.0.1", 0);
          Tab tab = browser.open(options())) {
        tab.page().navigate(server.address() + path);
        assertThat(tab.button("Live")).isVisible();
        assertThat(tab.page().locator("#age")).containsText(Pattern.compile("just now|\\d s old"));
        away.set(true);
        assertThat(tab.button("No answer")).isVisible();
        assertThat(tab.page().locator("#banner"))
            .containsText(Pattern.compile("[Tt]he database does not answer"));
        assertThat(tab.page().locator("#age")).containsText(Pattern.compile("^\\d\\d s old$"));
        assertThat(tab.page().locator(figure).first()).isVisible();
        answers.countDown();
        away.set(false);
        assertThat(tab.button("Live")).isVisible();
        assertThat(tab.page().locator("#banner")).isEmpty();
      } finally {
        answers.countDown();
      }
    }
  }

  @Test
  void aPageThatWaitsForItsAnswerSaysSo() {
    try (Tab tab = browser.open(options())) {
      tab.page().route(Pattern.compile(".*" + Site.API + "\\?.*"), route -> {});
      tab.page().navigate(SITE.address() + "events");
      assertThat(tab.button("Waiting")).isVisible();
      assertThat(tab.page().locator("#banner")).containsText("has not answered for");
    }
  }

  private static void update(String id, String change) {
    SITE.database().execute("UPDATE outbox_event SET " + change + " WHERE event_id = '" + id + "'");
  }

  private static Tab open(String path) {
    Tab tab = browser.open(options());
    tab.page().navigate(SITE.address() + path);
    return tab;
  }

  private static Browser.NewContextOptions options() {
    return new Browser.NewContextOptions()
        .setViewportSize(1280, 800)
        .setTimezoneId("UTC")
        .setColorScheme(ColorScheme.DARK)
        .setExtraHTTPHeaders(Map.of("Authorization", "Bearer " + Site.READER));
  }
}
