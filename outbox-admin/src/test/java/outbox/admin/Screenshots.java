package outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.LoadState;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Takes the pictures of docs/dashboard.md of a shop that has been open for some minutes ({@code
 * ./demo --serve}). Not part of the tests; run by its name: {@code mvn -pl outbox-admin -am test
 * -Dtest=Screenshots -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class Screenshots {
  private static final String SHOP = "http://127.0.0.1:8085/";
  private static final Path PICTURES = Path.of("..", "docs", "images");

  @Test
  void ofEveryView() {
    try (Chromium browser = Chromium.launch()) {
      try (Tab tab = browser.open(options(1280, 800, ColorScheme.LIGHT))) {
        take(tab, "", "overview");
        take(tab, "events?status=failed", "events");
        takeFirst(tab, "joins?status=failed", "join");
        take(tab, "joins", "joins");
        take(tab, "inbox", "inbox");
        takeFirst(tab, "inbox?status=dead", "inbox-message");
        bulk(tab);
        tab.page().setViewportSize(1280, 340);
        take(tab, "nodes", "nodes");
        take(tab, "databases", "databases");
      }
      try (Tab tab = browser.open(options(1280, 800, ColorScheme.DARK))) {
        take(tab, "", "overview-dark");
        takeFirst(tab, "dead?topic=order.faxed", "event-dark");
        tab.page().setViewportSize(1280, 440);
        take(tab, "login", "login-dark");
      }
      try (Tab tab = browser.open(options(390, 780, ColorScheme.LIGHT))) {
        take(tab, "", "overview-phone");
      }
      try (Tab tab = browser.open(options(390, 780, ColorScheme.DARK))) {
        take(tab, "dead", "dead-phone");
      }
    }
  }

  private static void bulk(Tab tab) {
    open(tab, "dead?topic=order.faxed");
    tab.rows().nth(1).locator("input").check();
    tab.rows().nth(2).locator("input").check();
    picture(tab, "dead");
    tab.button("Replay all matching…").click();
    assertThat(tab.confirmation()).isVisible();
    picture(tab, "replay");
    tab.page().keyboard().press("Escape");
  }

  private static void take(Tab tab, String path, String name) {
    open(tab, path);
    picture(tab, name);
  }

  /** The page of the first row, with its payload if it has one. */
  private static void takeFirst(Tab tab, String path, String name) {
    open(tab, path);
    tab.rows().first().locator("a").first().click();
    assertThat(tab.page().locator("h1 .badge")).isVisible();
    Locator show = tab.button("Show");
    tab.page().waitForLoadState(LoadState.NETWORKIDLE);
    if (show.count() > 0) {
      show.click();
      assertThat(tab.page().locator("pre.payload")).isVisible();
    }
    picture(tab, name);
  }

  private static void open(Tab tab, String path) {
    tab.page().navigate(SHOP + path);
    assertThat(tab.page().locator("h1").first()).isVisible();
    tab.page().waitForLoadState(LoadState.NETWORKIDLE);
  }

  private static void picture(Tab tab, String name) {
    tab.page().screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")));
  }

  private static Browser.NewContextOptions options(int width, int height, ColorScheme scheme) {
    return new Browser.NewContextOptions()
        .setViewportSize(width, height)
        .setColorScheme(scheme)
        .setTimezoneId("UTC");
  }
}
