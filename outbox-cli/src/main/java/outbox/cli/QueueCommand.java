package outbox.cli;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the commands on an outbox or an inbox have in common. */
abstract class QueueCommand implements Callable<Integer> {
  @Mixin QueueOptions queue = new QueueOptions();

  @Option(names = "--json", description = "as JSON, for programs")
  boolean json;

  @Spec @Nullable CommandSpec command;

  final PrintWriter out() {
    return requireNonNull(command).commandLine().getOut();
  }

  final PrintWriter err() {
    return requireNonNull(command).commandLine().getErr();
  }

  final Terminal terminal() {
    return Main.of(requireNonNull(command)).terminal();
  }

  /** Where tables go; nothing is cut for a file or a pipe. */
  final Screen screen() {
    boolean shown = terminal().showsOutput();
    return new Screen(
        out(),
        shown ? terminal().columns() : Screen.UNLIMITED,
        shown && System.getenv("NO_COLOR") == null);
  }
}
