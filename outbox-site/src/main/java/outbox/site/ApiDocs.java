package outbox.site;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/** The Javadoc of the published modules, by one run of the JDK's tool. */
final class ApiDocs {
  private static final String BACK = "<a href=\"{@docRoot}/../index.html\">Outbox documents</a>";

  /** What the command site writes. */
  private static final String CLASS_PATH = "target/api.classpath";

  private ApiDocs() {}

  /** Writes the pages; the sources must have been compiled. Returns how many packages there are. */
  static int write(Path root, Path target, Path stylesheet) throws IOException {
    List<LibraryModule> modules = LibraryModule.published(root);
    ToolProvider javadoc =
        ToolProvider.findFirst("javadoc")
            .orElseThrow(() -> new IllegalStateException("this JDK has no javadoc"));
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output);
    String[] arguments = arguments(root, modules, target, stylesheet).toArray(String[]::new);
    int status = javadoc.run(writer, writer, arguments);
    writer.flush();
    System.out.print(output);
    if (status != 0) {
      throw new SiteException("javadoc ended with status " + status);
    }
    return modules.stream().mapToInt(module -> module.packages().size()).sum();
  }

  private static List<String> arguments(
      Path root, List<LibraryModule> modules, Path target, Path stylesheet) throws IOException {
    List<String> sources = new ArrayList<>();
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-locale",
                "en",
                "-quiet",
                "-protected",
                "-encoding",
                "UTF-8",
                "-notimestamp",
                "--release",
                "17",
                "-Xdoclint:all,-missing",
                "-Xmaxwarns",
                "1000"));
    for (LibraryModule module : modules) {
      arguments.addAll(List.of("-group", module.name(), String.join(":", module.packages())));
      for (Path source : module.sources(root)) {
        sources.add(source.toString());
      }
    }
    arguments.addAll(
        List.of(
            "-classpath",
            Files.readString(root.resolve(CLASS_PATH)).strip(),
            "--add-stylesheet",
            stylesheet.toString(),
            "-windowtitle",
            "Outbox Javadoc",
            "-doctitle",
            "Outbox Javadoc",
            "-header",
            BACK,
            "-d",
            target.toString()));
    arguments.addAll(sources);
    return arguments;
  }
}
