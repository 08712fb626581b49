package outbox.cli;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Names options and values as they were typed; who checks them knows the parameters of methods. */
final class TypedOptions {
  private static final Pattern PARAMETER = Pattern.compile("[a-zA-Z]+");

  /** By what the library calls the parameter, where the option has another name. */
  private static final Map<String, List<String>> OPTIONS =
      Map.of(
          "tableName", List.of("--table", "--inbox-table", "--join-table", "--inbox", "--joins"),
          "fromVersion", List.of("--from"),
          "cursor", List.of("--after"));

  private TypedOptions() {}

  static String in(String message, ParseResult call) {
    String shown = withOption(message, call);
    for (OptionSpec option : call.matchedOptions()) {
      for (String typed : option.originalStringValues()) {
        String name = option.longestName() + " (";
        shown = shown.replace(name + option.getValue() + ")", name + typed + ")");
      }
    }
    return shown;
  }

  private static String withOption(String message, ParseResult call) {
    Matcher parameter = PARAMETER.matcher(message);
    if (!parameter.lookingAt()) {
      return message;
    }
    String rest = message.substring(parameter.end());
    List<String> options =
        OPTIONS.getOrDefault(parameter.group(), List.of("--" + parameter.group()));
    return options.stream()
        .filter(call::hasMatchedOption)
        .filter(option -> options.size() == 1 || quotes(rest, call.matchedOption(option)))
        .findFirst()
        .map(option -> option + rest)
        .orElse(message);
  }

  private static boolean quotes(String text, OptionSpec option) {
    return text.startsWith(" (" + option.getValue() + ")");
  }
}
