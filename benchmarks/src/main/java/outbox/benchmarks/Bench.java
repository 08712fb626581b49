package outbox.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs the scenarios, writes the results, and fails if a gate does. */
public final class Bench {
  private static final List<Scenario> SCENARIOS =
      List.of(
          new EndToEnd(),
          new Latency(),
          new WaysIn(),
          new BulkPublish(),
          new Drain(),
          new Batching(),
          new Order(),
          new QueueRate(),
          new InboxRate(),
          new JoinRate(),
          new OldSnapshot(),
          new Purge(),
          new DashboardOpen(),
          new Logging(),
          new VirtualThreads());

  private Bench() {}

  public static void main(String[] args) throws Exception {
    Options options;
    try {
      options = Options.parse(args);
      requireKnown(options);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    if (options.help()) {
      System.out.printf(Options.HELP, names());
      return;
    }
    System.exit(run(options) ? 0 : 1);
  }

  private static boolean run(Options options) throws Exception {
    Results results = new Results(options.mode() != Mode.SMOKE);
    long start = System.nanoTime();
    String machine;
    try (Server server = options.database().start()) {
      machine = Machine.describe(server);
      System.out.println(machine);
      Lab lab = new Lab(options.database(), server, options.mode());
      WarmUp.run(lab);
      for (Scenario scenario : SCENARIOS) {
        if (options.only() == null
            ? scenario.databases().contains(options.database())
            : options.only().equals(scenario.name())) {
          lab.say("== " + scenario.name());
          scenario.run(lab, results);
        }
      }
    }
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    String about = machine + "\n\nMode: " + options.mode().label() + ", took " + seconds + " s.";
    String report = new Report(about, results).toMarkdown();
    write(options.output(), report, results);
    System.out.println("\n" + report);
    return !options.gates() || results.gates().stream().allMatch(Gate::passed);
  }

  private static void write(Path folder, String report, Results results) throws Exception {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("results.md"), report);
    Files.writeString(folder.resolve("results.svg"), new Chart(results.gates()).toSvg());
    System.out.println("\nwritten: " + folder.resolve("results.md") + " and results.svg");
  }

  private static void requireKnown(Options options) {
    String only = options.only();
    if (only != null && SCENARIOS.stream().noneMatch(s -> s.name().equals(only))) {
      throw new IllegalArgumentException(
          "--only (" + only + ") must be one of " + names() + "; see --help");
    }
    requireSupported(options.database(), only);
    options.database().requireServer();
  }

  private static void requireSupported(Database database, @Nullable String only) {
    List<String> supported =
        SCENARIOS.stream()
            .filter(scenario -> scenario.databases().contains(database))
            .map(Scenario::name)
            .toList();
    if (only != null && !supported.contains(only)) {
      throw new IllegalArgumentException(
          "--only ("
              + only
              + ") does not run on "
              + database.label()
              + "; --database "
              + database.option()
              + " has "
              + String.join(", ", supported));
    }
  }

  private static String names() {
    return SCENARIOS.stream().map(Scenario::name).collect(Collectors.joining(", "));
  }
}
