package outbox.cli;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What all commands have in common: where they write, and whom they ask. */
abstract class Subcommand implements Callable<Integer> {
  @Spec @Nullable CommandSpec command;

  /** For results. */
  final PrintWriter out() {
    return requireNonNull(command).commandLine().getOut();
  }

  /** For questions, progress and errors. */
  final PrintWriter err() {
    return requireNonNull(command).commandLine().getErr();
  }

  final Terminal terminal() {
    return Main.of(requireNonNull(command)).terminal();
  }

  static void requirePositive(String option, int value) {
    if (value < 1) {
      throw new WrongCallException(option + " (" + value + ") must be at least 1");
    }
  }
}
