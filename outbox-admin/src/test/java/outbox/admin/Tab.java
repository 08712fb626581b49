package outbox.admin;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One page of the dashboard in a browser, and what the browser complained about. */
final class Tab implements AutoCloseable {
  private static final double PATIENCE_MS = 60_000;

  private final BrowserContext context;
  private final Page page;
  private final List<String> complaints = new CopyOnWriteArrayList<>();

  Tab(BrowserContext context) {
    this.context = context;
    context.setDefaultTimeout(PATIENCE_MS);
    this.page = context.newPage();
    page.onPageError(complaints::add);
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error") || message.type().equals("warning")) {
            complaints.add(message.text());
          }
        });
  }

  Page page() {
    return page;
  }

  /** Errors in the console, scripts that failed, and what the content security policy stopped. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  Locator heading(String text) {
    return page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName(text)).first();
  }

  Locator button(String text) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(text).setExact(true));
  }

  /** The confirming button of the dialog that is open. */
  Locator confirmation() {
    return page.locator("dialog button[type=submit]");
  }

  Locator rows() {
    return page.locator("tbody tr");
  }

  Locator row(String text) {
    return rows().filter(new Locator.FilterOptions().setHasText(text));
  }

  boolean scrollsSideways() {
    return (Boolean)
        page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth");
  }

  @Override
  public void close() {
    context.close();
  }
}
