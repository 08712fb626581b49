package outbox.cli;

import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What keeps people from changing more than they meant. */
final class ConfirmOptions {
  @Option(names = "--dry-run", description = "only say how many there are; change nothing")
  boolean dryRun;

  @Option(names = "--yes", description = "do not ask")
  boolean yes;

  /** Whether the user said yes, on the command line or when asked. */
  boolean confirmed(String question, Terminal terminal, PrintWriter err) {
    if (yes) {
      return true;
    }
    if (!terminal.canAsk()) {
      err.println(
          "error: "
              + question
              + " Not confirmed: there is no terminal for the answer. Add --yes to confirm.");
      return false;
    }
    String asked = question + " [y/N]";
    err.print(String.join("\n", Fields.wrapped(asked, terminal.columns() - 2)) + " ");
    err.flush();
    if (isYes(terminal.answer())) {
      return true;
    }
    err.println("nothing was changed");
    return false;
  }

  private static boolean isYes(@Nullable String answer) {
    String given = answer == null ? "" : answer.strip().toLowerCase(Locale.ROOT);
    return given.equals("y") || given.equals("yes");
  }
}
