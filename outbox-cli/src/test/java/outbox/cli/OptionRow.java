package outbox.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.cli.Cli.Result;

/**
 * An option, what shows its effect, and what is seen without and with it.
 *
 * @param option the class that declares it, and its name
 * @param call the command and the value
 * @param standard the default as the command knows it; empty if there is none
 * @param documented what the pages say about the option and its default
 * @param usual null if what is seen by default is not waited for
 */
record OptionRow(
    String option,
    String call,
    String standard,
    String documented,
    Experiment experiment,
    @Nullable Object usual,
    Object other) {

  /** What is seen without the option, or with it. */
  @FunctionalInterface
  interface Experiment {
    Object see(boolean set) throws Exception;
  }

  /** What there is to see after a call. */
  @FunctionalInterface
  interface Look {
    Object at(Result result, Cli cli);
  }

  /** Brings a database into the state that the call finds. */
  @FunctionalInterface
  interface Given {
    void in(Shop shop) throws Exception;
  }

  /** How an option that several rows are about is documented. */
  record Option(String name, String standard, String documented) {

    /** A row about a call by a script; ID stands for that of the first message. */
    OptionRow row(
        Given given,
        String command,
        String value,
        Look look,
        @Nullable Object usual,
        Object other) {
      return row(
          command + " " + value, set -> see(given, command, set ? value : "", look), usual, other);
    }

    OptionRow row(String call, Experiment experiment, @Nullable Object usual, Object other) {
      return new OptionRow(name, call, standard, documented, experiment, usual, other);
    }
  }

  static Option option(String name, String standard, String documented) {
    return new Option(name, standard, documented);
  }

  private static Object see(Given given, String command, String value, Look look) throws Exception {
    Shop shop = Shop.inMemory();
    given.in(shop);
    Cli cli = Cli.script(shop);
    List<String> words = new ArrayList<>(words(command));
    words.replaceAll(word -> word.equals("ID") ? ids(cli.run("list", "--json")).get(0) : word);
    words.addAll(words(value));
    return look.at(
        cli.run(words.get(0), words.subList(1, words.size()).toArray(new String[0])), cli);
  }

  private static List<String> words(String text) {
    return Stream.of(text.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
  }

  static Object exit(Result result, Cli cli) {
    return result.exit();
  }

  static Look out(String text) {
    return (result, cli) -> result.out().contains(text);
  }

  static Look err(String text) {
    return (result, cli) -> result.err().contains(text);
  }

  /** The topics of the messages that were listed as JSON. */
  static Object topics(Result result, Cli cli) {
    return found(result.out(), "\"topic\":\"([^\"]+)\"");
  }

  /** The topics of the messages that are listed after the call. */
  static Look left(String... arguments) {
    return (result, cli) -> {
      List<String> all = new ArrayList<>(List.of(arguments));
      all.add("--json");
      return topics(cli.run("list", all.toArray(new String[0])), cli);
    };
  }

  /** The first message, as it is shown after the call. */
  static Look shown(String pattern) {
    return (result, cli) -> {
      String id = ids(cli.run("list", "--json")).get(0);
      List<String> found = found(cli.run("show", id).out(), pattern);
      return found.isEmpty() ? "nothing" : found.get(0).strip();
    };
  }

  private static List<String> ids(Result list) {
    return found(list.out(), "\"id\":\"([^\"]+)\"");
  }

  /** The groups that match, in the order of the alphabet. */
  static List<String> found(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .sorted()
        .toList();
  }

  @Override
  public String toString() {
    return option + ": " + call;
  }

  /** Nothing is there. */
  static void nothing(Shop shop) {}
}
