package outbox.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/**
 * The command {@code outbox}. Ends with 0 if all is well, 1 if something is not up to date or
 * failed, 2 if it was called in a wrong way.
 */
@Command(
    name = "outbox",
    description = "Operates the tables of an outbox.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    subcommands = SchemaCommand.class)
public final class Main {
  static final int FAILED = 1;

  /** Held here: the log manager alone would let it be collected, with its level. */
  private static final Logger LOGGER = Logger.getLogger("outbox");

  private Main() {}

  public static void main(String[] arguments) {
    LOGGER.setLevel(Level.WARNING);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, arguments));
  }

  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    return new CommandLine(new Main())
        .setOut(out)
        .setErr(err)
        .setExecutionExceptionHandler(Main::failed)
        .setParameterExceptionHandler(Main::wrong)
        .execute(arguments);
  }

  private static int failed(
      Exception failure, CommandLine command, CommandLine.ParseResult ignored) {
    command.getErr().println("error: " + Secrets.hidden(message(failure), secrets(command)));
    return failure instanceof WrongCallException ? CommandLine.ExitCode.USAGE : FAILED;
  }

  /** As the library does it, but for what must not be shown. */
  private static int wrong(CommandLine.ParameterException failure, String[] ignored) {
    CommandLine command = failure.getCommandLine();
    String text = String.valueOf(failure.getMessage());
    command.getErr().println(Secrets.hidden(text, secrets(command)));
    command.usage(command.getErr());
    return CommandLine.ExitCode.USAGE;
  }

  private static List<String> secrets(CommandLine command) {
    return command.getCommandSpec().userObject() instanceof SchemaCommand.OfSchema schema
        ? schema.options.database.secrets()
        : List.of();
  }

  /** With its causes: what the database said is at the end of them. */
  private static String message(Throwable failure) {
    Throwable cause = failure.getCause();
    String text = String.valueOf(failure.getMessage());
    return cause == null ? text : text + ": " + message(cause);
  }
}
