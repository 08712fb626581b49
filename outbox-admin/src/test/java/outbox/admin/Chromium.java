package outbox.admin;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.impl.driver.Driver;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A browser without a window: the one that {@value #VARIABLE} names, else one that is installed,
 * else the one that Playwright downloads.
 */
final class Chromium implements AutoCloseable {
  static final String VARIABLE = "OUTBOX_BROWSER";

  private static final List<String> NAMES =
      List.of(
          "chromium",
          "chromium-browser",
          "google-chrome",
          "google-chrome-stable",
          "microsoft-edge");
  private static final List<String> APPLICATIONS =
      List.of(
          "/Applications/Chromium.app/Contents/MacOS/Chromium",
          "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
  private static final Map<String, String> NO_DOWNLOAD =
      Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");

  private final Playwright playwright;
  private final Browser browser;

  private Chromium(Playwright playwright, Browser browser) {
    this.playwright = playwright;
    this.browser = browser;
  }

  static Chromium launch() {
    Playwright playwright = Playwright.create(new Playwright.CreateOptions().setEnv(NO_DOWNLOAD));
    try {
      LaunchOptions options = new LaunchOptions();
      installed().ifPresentOrElse(options::setExecutablePath, Chromium::download);
      return new Chromium(playwright, playwright.chromium().launch(options));
    } catch (PlaywrightException | IllegalStateException e) {
      playwright.close();
      throw new IllegalStateException(
          "no browser to test the dashboard with; install one (apt-get install chromium), or name"
              + " its executable in "
              + VARIABLE
              + ", or leave these tests out (./check --no-browser, -DexcludedGroups=browser)",
          e);
    }
  }

  private static Optional<Path> installed() {
    String named = System.getenv(VARIABLE);
    if (named != null && !named.isEmpty()) {
      return Optional.of(Path.of(named));
    }
    Stream<Path> onPath =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)));
    return Stream.concat(onPath, APPLICATIONS.stream().map(Path::of))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static void download() {
    ProcessBuilder install =
        Driver.ensureDriverInstalled(NO_DOWNLOAD, false).createProcessBuilder();
    install.environment().remove("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD");
    install.command().addAll(List.of("install", "--only-shell", "chromium"));
    try {
      int status =
          install.redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("Playwright's download ended with status " + status);
      }
    } catch (IOException e) {
      throw new IllegalStateException("Playwright's download does not start", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a browser was downloaded", e);
    }
  }

  /** A tab of its own, without anything that another has kept. */
  Tab open(Browser.NewContextOptions options) {
    return new Tab(browser.newContext(options));
  }

  @Override
  public void close() {
    playwright.close();
  }
}
