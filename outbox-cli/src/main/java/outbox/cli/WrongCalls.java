package outbox.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a call, and where to read on, but never what may be a password. */
final class WrongCalls {
  /** As other programs call it; the short one may have the password right behind it. */
  private static final Pattern PASSWORD = Pattern.compile("(?i)-p.*|--(pass|pwd).*");

  private WrongCalls() {}

  static int show(ParameterException failure, String[] arguments) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    String culprit = passwordOption(failure, List.of(arguments));
    if (culprit != null) {
      err.println("error: " + Shown.line(culprit) + noPassword(command.getCommandSpec()));
    } else {
      err.println("error: " + Secrets.hidden(Shown.lines(describe(failure))));
      UnmatchedArgumentException.printSuggestions(failure, err);
    }
    if (failure instanceof UnmatchedArgumentException || command.getSubcommands().isEmpty()) {
      err.println("See: " + command.getCommandSpec().qualifiedName() + " --help");
    } else {
      command.usage(err);
    }
    return CommandLine.ExitCode.USAGE;
  }

  /** The option behind which a password was typed; null if there is none. */
  private static @Nullable String passwordOption(
      ParameterException failure, List<String> arguments) {
    String option = null;
    if (failure instanceof UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().get(0);
      int at = arguments.indexOf(first);
      option = first.startsWith("-") || at < 1 ? nameIn(first) : nameIn(arguments.get(at - 1));
    } else if (failure.getArgSpec() instanceof OptionSpec given && failure.getValue() != null) {
      option = given.longestName();
    }
    return option != null && PASSWORD.matcher(option).matches() ? option : null;
  }

  /** Without what is typed right behind it. */
  private static String nameIn(String argument) {
    return argument.startsWith("--")
        ? argument.replaceFirst("(?s)=.*", "")
        : argument.substring(0, Math.min(2, argument.length()));
  }

  private static String noPassword(CommandSpec command) {
    String ways =
        command.optionsMap().keySet().stream()
            .filter(name -> name.startsWith("--password"))
            .sorted()
            .collect(Collectors.joining(", "));
    return ": a password is never an argument, which others could see"
        + (ways.isEmpty() ? "" : "; the ways to give it: " + ways);
  }

  /** Of what is unknown only the first, without its value: what follows may be anything. */
  private static String describe(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return String.valueOf(failure.getMessage());
    }
    String first = unmatched.getUnmatched().get(0);
    if (first.startsWith("-")) {
      return "Unknown option: '" + nameIn(first) + "'";
    }
    CommandLine command = failure.getCommandLine();
    return command.getSubcommands().isEmpty()
        ? "Unexpected argument: '" + first + "'"
        : command.getCommandSpec().qualifiedName() + " has no command '" + first + "'";
  }
}
