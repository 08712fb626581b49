package outbox.cli;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The command {@code outbox}. Ends with 0 if all is well, 1 if something is not up to date, not
 * healthy or failed, 2 if it was called in a wrong way, 3 if a change was not confirmed.
 */
@Command(
    name = "outbox",
    description = "Operates the tables of an outbox.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    scope = ScopeType.INHERIT,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "  0:done; healthy",
      "  1:failed, unhealthy, or not all that was asked for was done",
      "  2:called in a wrong way; nothing was changed",
      "  3:not confirmed; nothing was changed",
      "130:stopped by Ctrl-C (143 by SIGTERM), after the batch under way"
    },
    subcommands = {
      StatusCommand.class,
      TopCommand.class,
      ListCommand.class,
      ShowCommand.class,
      ReplayCommand.class,
      DiscardCommand.class,
      PurgeCommand.class,
      ServeCommand.class,
      SchemaCommand.class,
      CommandLine.HelpCommand.class
    })
public final class Main {
  static final int FAILED = 1;
  static final int NOT_CONFIRMED = 3;

  private static final int LOGIN_SECONDS = 10;

  /** Held here: the log manager alone would let it be collected, with its level. */
  private static final Logger LOGGER = Logger.getLogger("outbox");

  private final Terminal terminal;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "with the stack trace of a failure")
  private boolean verbose;

  private Main(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Runs the command that the arguments name, and ends with its status. */
  public static void main(String[] arguments) {
    LOGGER.setLevel(Level.WARNING);
    LogLine.use(List.of(arguments).contains("--verbose"));
    DriverManager.setLoginTimeout(LOGIN_SECONDS);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, new SystemTerminal(out), arguments));
  }

  static int run(PrintWriter out, PrintWriter err, Terminal terminal, String... arguments) {
    return commandLine(terminal).setOut(out).setErr(err).execute(arguments);
  }

  /** The command with all that is below it. */
  static CommandLine commandLine(Terminal terminal) {
    CommandLine command = new CommandLine(new Main(terminal));
    introduce(terminal, command.getCommandSpec());
    return command
        .setUsageHelpAutoWidth(true)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(Duration.class, Times::duration)
        .registerConverter(Instant.class, Times::instant)
        .setExecutionExceptionHandler(Main::failed)
        .setParameterExceptionHandler(WrongCalls::show);
  }

  /** Options are told of the terminal: those within others do not know their command. */
  private static void introduce(Terminal terminal, CommandSpec command) {
    for (CommandSpec options : command.mixins().values()) {
      if (options.userObject() instanceof DatabaseOptions database) {
        database.askAt(terminal);
      }
      introduce(terminal, options);
    }
    command.subcommands().values().forEach(sub -> introduce(terminal, sub.getCommandSpec()));
  }

  /** The command of which this is a part. */
  static Main of(CommandSpec command) {
    return (Main) command.root().userObject();
  }

  Terminal terminal() {
    return terminal;
  }

  private static int failed(
      Exception failure, CommandLine command, CommandLine.ParseResult ignored) {
    String said = Failures.describe(failure);
    boolean wrongCall = Failures.isWrongCall(failure);
    command
        .getErr()
        .println("error: " + (wrongCall ? TypedOptions.in(said, command.getParseResult()) : said));
    if (of(command.getCommandSpec()).verbose) {
      command.getErr().println(Failures.trace(failure));
    }
    return wrongCall ? CommandLine.ExitCode.USAGE : FAILED;
  }

  /** What the build has written beside the classes. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      try (InputStream version = requireNonNull(Main.class.getResourceAsStream("version"))) {
        return new String[] {
          "outbox " + new String(version.readAllBytes(), StandardCharsets.UTF_8).strip()
        };
      }
    }
  }
}
