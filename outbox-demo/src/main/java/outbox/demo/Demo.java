package outbox.demo;

import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Shows the outbox to someone who has never seen it, and accounts for every order at the end.
 *
 * <p>Exit status: 0 if the account balances, 1 if not, 2 for a wrong option.
 */
public final class Demo {
  static final Path LOG = Path.of("target", "demo.log");

  private Demo() {}

  /** Runs the demo; {@code --help} lists the options. */
  public static void main(String[] args) throws Exception {
    DemoLog.writeTo(LOG);
    System.exit(run(args, System.out, System.err, Terminal.isInteractive()));
  }

  static int run(String[] args, PrintStream out, PrintStream err, boolean terminal)
      throws Exception {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException e) {
      err.println("demo: " + e.getMessage());
      return 2;
    }
    if (options.help()) {
      out.print(Options.HELP);
      return 0;
    }
    Screen screen = new Screen(out, terminal);
    Scale scale = options.fast() ? Scale.FAST : Scale.FULL;
    introduce(screen, options.h2());
    try (Database database = options.h2() ? new H2Database() : PostgresDatabase.start()) {
      screen.say("Running on " + database.name() + ". The engine's own log: " + LOG);
      return new Play(database, screen, scale).perform().balances() ? 0 : 1;
    } catch (DatabaseUnavailableException e) {
      err.println("demo: " + e.getMessage());
      return 1;
    }
  }

  private static void introduce(Screen screen, boolean h2) {
    screen.title("Outbox: publish in a transaction, dispatch after commit, lose nothing");
    screen.say(
        """
        A shop stores each order in its database and tells a message broker about it.
        Were these two separate steps, a crash in between would lose the message, or
        announce an order that does not exist. So the shop writes the event into a
        table, outbox_event, in the order's own transaction, and the outbox delivers
        it after the commit.
        """);
    screen.say("");
    if (!h2) {
      screen.say("Starting an embedded PostgreSQL ...");
    }
  }
}
