package outbox.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** The command as it is called on a database, by a person at a terminal or by a script. */
final class Cli {
  private final List<String> database;
  private final FakeTerminal terminal;

  private Cli(List<String> database, FakeTerminal terminal) {
    this.database = database;
    this.terminal = terminal;
  }

  static Cli script(Shop shop) {
    return new Cli(List.of("--url", shop.url, "--user", "sa"), FakeTerminal.none());
  }

  static Cli person(Shop shop, int columns) {
    return person(shop, columns, "sa");
  }

  static Cli person(Shop shop, int columns, String user) {
    return new Cli(List.of("--url", shop.url, "--user", user), FakeTerminal.of(columns));
  }

  static Cli script(String url) {
    return new Cli(List.of("--url", url), FakeTerminal.none());
  }

  static Cli nowhere() {
    return new Cli(List.of(), FakeTerminal.none());
  }

  Cli answers(String... answers) {
    terminal.answers.addAll(List.of(answers));
    return this;
  }

  Cli types(String keys) {
    keys.chars().forEach(key -> terminal.keys.add((char) key));
    return this;
  }

  Result run(String command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(command.split(" ")));
    all.addAll(database);
    all.addAll(List.of(arguments));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        Main.run(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            terminal,
            all.toArray(new String[0]));
    return new Result(exit, plain(out.toString()), plain(err.toString()));
  }

  /** Without colours and cursor movements. */
  private static String plain(String text) {
    return text.replaceAll("\033\\[[0-9;?]*[a-zA-Z]", "").replace("\r\n", "\n");
  }

  record Result(int exit, String out, String err) {
    List<String> lines() {
      return out.lines().toList();
    }
  }
}
