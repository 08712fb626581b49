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
    introduce(screen, options.h2());
    try {
      return options.serve() ? serve(options, screen) : play(options, screen);
    } catch (DatabaseUnavailableException e) {
      err.println("demo: " + e.getMessage());
      return 1;
    }
  }

  private static int play(Options options, Screen screen) throws Exception {
    Scale scale = options.fast() ? Scale.FAST : Scale.FULL;
    try (Database database = options.h2() ? new H2Database() : PostgresDatabase.start()) {
      present(screen, database);
      if (!new Play(database, screen, scale).perform().balances()) {
        return 1;
      }
      screen.say("");
      screen.say("To see it in a browser, and to try replay and the rest: ./demo --serve");
      return 0;
    }
  }

  private static int serve(Options options, Screen screen) throws Exception {
    try (Interrupt interrupt = Interrupt.listen();
        Database database = options.h2() ? new H2Database() : PostgresDatabase.startUntilClosed();
        OpenShop shop = new OpenShop(database)) {
      present(screen, database);
      screen.title("The shop is open: " + shop.address());
      screen.say(
          """
          Customers order, pay and wait for parcels. The fax machine has paper one minute in
          three, cards are declined, vases break: replay, discard and cancel as you like, it
          is only a demo. It listens to this machine alone. Ctrl-C closes the shop.
          """);
      interrupt.await();
      screen.say("Closing the shop ...");
      return 0;
    }
  }

  private static void present(Screen screen, Database database) {
    screen.say("Running on " + database.name() + ". The engine's own log: " + LOG);
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
