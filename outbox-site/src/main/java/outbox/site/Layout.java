package outbox.site;

import java.nio.file.Path;
import java.util.List;

/** Puts content into a whole HTML page, with navigation, search and table of contents. */
final class Layout {
  private static final String PAGE =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>%1$s</title>
      <link rel="icon" href="%2$sassets/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="%2$sassets/site.css">
      <script>document.documentElement.className = "js"</script>
      <script src="%2$sassets/site.js" defer></script>
      %3$s</head>
      <body data-root="%2$s">
      <a class="skip" href="#content">Skip to content</a>
      <header class="bar">
      <button type="button" id="menu-button" aria-controls="menu" aria-expanded="false">Menu</button>
      <a class="brand" href="%2$sindex.html"><img src="%2$sassets/icon.svg" alt="" width="24" height="24"> Outbox</a>
      <search class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documents" autocomplete="off" spellcheck="false"><kbd>/</kbd><div id="results" hidden></div></search>
      %4$s</header>
      <div class="frame">
      <nav id="menu" aria-label="Documents">
      %5$s</nav>
      <main id="content">
      %6$s<article>
      %7$s</article>
      %8$s</main>
      %9$s</div>
      </body>
      </html>
      """;

  private final Navigation navigation;
  private final boolean api;

  Layout(Navigation navigation, boolean api) {
    this.navigation = navigation;
    this.api = api;
  }

  String page(Page page, String content) {
    String target = page.target();
    String title = page.source().equals(Navigation.START) ? "Outbox" : page.title() + " · Outbox";
    String mermaid =
        content.contains("<pre class=\"mermaid\"")
            ? "<script src=\"%sassets/mermaid.min.js\" defer></script>%n".formatted(up(target))
            : "";
    return PAGE.formatted(
        Html.escape(title),
        up(target),
        mermaid,
        apiLink(target),
        menu(page.source(), target),
        crumb(page.source()),
        content,
        turn(page.source(), target),
        contents(page));
  }

  /** A file of the repository as it is. */
  String file(Link file, String text) {
    String name = file.file().toString().replace('\\', '/');
    String content =
        "<h1>%s</h1>%n<div class=\"code\"><pre tabindex=\"0\"><code>%s</code></pre></div>%n"
            .formatted(Html.escape(name), Html.escape(text));
    String target = file.target();
    return PAGE.formatted(
        Html.escape(name) + " · Outbox",
        up(target),
        "",
        apiLink(target),
        menu(file.file(), target),
        "",
        content,
        "",
        "");
  }

  private static String up(String target) {
    return "../".repeat((int) target.chars().filter(c -> c == '/').count());
  }

  private String apiLink(String target) {
    return api
        ? "<a class=\"api\" href=\"%sapi/index.html\">Javadoc</a>%n".formatted(up(target))
        : "";
  }

  private String menu(Path current, String target) {
    StringBuilder html = new StringBuilder();
    for (Navigation.Section section : navigation.sections()) {
      html.append("<h2>").append(Html.escape(section.title())).append("</h2>\n<ul>\n");
      for (Navigation.Entry entry : section.entries()) {
        boolean here = entry.whole() && entry.link().file().equals(current);
        html.append("<li><a href=\"%s\"".formatted(Html.escape(entry.link().href(target))))
            .append(here ? " aria-current=\"page\">" : ">")
            .append(Html.escape(entry.title()))
            .append("</a></li>\n");
      }
      if (api && section.title().equals("Reference")) {
        html.append("<li><a href=\"%sapi/index.html\">Javadoc</a></li>%n".formatted(up(target)));
      }
      html.append("</ul>\n");
    }
    return html.toString();
  }

  private String crumb(Path source) {
    return navigation
        .sectionOf(source)
        .filter(section -> !section.equals("Outbox"))
        .map(section -> "<p class=\"crumb\">%s</p>%n".formatted(Html.escape(section)))
        .orElse("");
  }

  private String turn(Path source, String target) {
    StringBuilder html = new StringBuilder("<nav class=\"turn\" aria-label=\"Reading order\">\n");
    navigation
        .neighbour(source, -1)
        .ifPresent(entry -> html.append(turnLink("prev", "Previous", entry, target)));
    navigation
        .neighbour(source, 1)
        .ifPresent(entry -> html.append(turnLink("next", "Next", entry, target)));
    return html.append("</nav>\n").toString();
  }

  private static String turnLink(String rel, String label, Navigation.Entry entry, String target) {
    return "<a rel=\"%s\" href=\"%s\"><small>%s</small>%s</a>%n"
        .formatted(
            rel,
            Html.escape(Link.relative(target, entry.link().target())),
            label,
            Html.escape(entry.title()));
  }

  private static String contents(Page page) {
    List<Page.Section> parts =
        page.sections().stream()
            .filter(part -> part.heading().getLevel() == 2 || part.heading().getLevel() == 3)
            .toList();
    if (parts.size() < 2) {
      return "";
    }
    StringBuilder html =
        new StringBuilder("<nav class=\"contents\" aria-label=\"On this page\">\n")
            .append("<details open>\n<summary>On this page</summary>\n<ul>\n");
    for (Page.Section part : parts) {
      html.append(
          "<li class=\"level%d\"><a href=\"#%s\">%s</a></li>%n"
              .formatted(part.heading().getLevel(), part.anchor(), Html.escape(part.title())));
    }
    return html.append("</ul>\n</details>\n</nav>\n").toString();
  }
}
