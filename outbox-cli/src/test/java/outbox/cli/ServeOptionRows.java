package outbox.cli;

import static outbox.cli.OptionRow.option;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.admin.AdminConfig;
import outbox.cli.OptionRow.Given;
import outbox.cli.OptionRow.Option;

/** The server: what it shows, to whom, and where. */
final class ServeOptionRows {
  private static final String API = AdminConfig.DEFAULT_API_PATH;
  private static final String TOKENS =
      "`--read-token-env` and `--admin-token-env` name the variables";
  private static final String DATABASES =
      "`--url`, `--user`, `--password-env` and `--password-file` may be given several times";
  private static final String PASSWORD = "correct horse battery staple";
  private static final String TOKEN = "token-of-the-environment";

  private ServeOptionRows() {}

  static List<OptionRow> rows() {
    List<OptionRow> rows = new ArrayList<>(databases());
    rows.addAll(access());
    return rows;
  }

  private static List<OptionRow> databases() {
    Given others = QueueOptionRows::otherTables;
    return List.of(
        option("ServedOptions --url", "${env:OUTBOX_URL}", DATABASES)
            .row("serve", ServeOptionRows::names, List.of("one"), List.of("one", "two")),
        option("ServedOptions --user", "${env:OUTBOX_USER}", DATABASES)
            .row("serve", set -> state(set ? List.of("--user", "sa") : List.of()), false, true),
        option("ServedOptions --password-file", "", DATABASES)
            .row("serve", ServeOptionRows::lockedWithFile, null, true),
        option("ServedOptions --password-env", "", DATABASES)
            .row("serve", ServeOptionRows::lockedWithVariable, null, true),
        served(
            QueueOptionRows.TABLE,
            others,
            "--table other_event",
            out -> topics(out, "?status=all"),
            List.of("usual"),
            List.of("other")),
        served(
            QueueOptionRows.INBOX_TABLE,
            others,
            "--inbox-table other_inbox",
            out -> topics(out, "/inbox?status=all"),
            List.of("usual"),
            List.of("other")),
        served(
            QueueOptionRows.JOIN_TABLE,
            ServeOptionRows::otherJoins,
            "--join-table other_join",
            out -> out.contains("outbox inbox joins"),
            false,
            true),
        served(
            QueueOptionRows.WAIT_TOPIC,
            QueueOptionRows::waits,
            "--wait-topic usual",
            out -> topics(out, ""),
            List.of("usual"),
            List.of("join.wait")));
  }

  private static void otherJoins(Shop shop) {
    Cli.script(shop).run("schema migrate", "--joins=other_join");
  }

  private static Object names(boolean second) {
    List<String> arguments =
        new ArrayList<>(
            List.of("--anonymous", "--user", "sa", "--url", "one=" + Shop.inMemory().url));
    if (second) {
      arguments.addAll(List.of("--url", "two=" + Shop.inMemory().url));
    }
    return seen(arguments, out -> OptionRow.found(ask(out, "/databases"), "\"name\":\"([^\"]+)\""));
  }

  private static Object state(List<String> options) {
    List<String> arguments = new ArrayList<>(List.of("--url", Shop.inMemory().url));
    arguments.addAll(options);
    return seen(arguments, out -> out.contains("outbox inbox"));
  }

  private static Object lockedWithFile(boolean set) throws Exception {
    Shop shop = Shop.inMemory();
    lock(shop);
    Path file = Files.createTempFile("outbox-options", "");
    file.toFile().deleteOnExit();
    Files.writeString(file, PASSWORD + "\n");
    List<String> arguments = new ArrayList<>(List.of("--url", shop.url, "--user", "ANN"));
    if (set) {
      arguments.addAll(List.of("--password-file", file.toString()));
    }
    return seen(arguments, out -> out.contains("outbox inbox"));
  }

  private static Object lockedWithVariable(boolean set) throws Exception {
    List<String> arguments = inFile();
    if (set) {
      arguments.addAll(List.of("--password-env", "SHOP_PASSWORD"));
    }
    return OwnProcess.serve(
        Map.of("SHOP_PASSWORD", PASSWORD), arguments, out -> out.contains("outbox inbox"));
  }

  /** How the command ends for a user whose password is in a variable. */
  static Object statusWithVariable(boolean set) throws Exception {
    List<String> arguments = inFile();
    arguments.set(0, "status");
    arguments.removeAll(List.of("--port", "0"));
    if (set) {
      arguments.addAll(List.of("--password-env", "SHOP_PASSWORD"));
    }
    return OwnProcess.exit(Map.of("SHOP_PASSWORD", PASSWORD), arguments);
  }

  /** A server of a database that another process can open, for a user with a password. */
  private static List<String> inFile() throws Exception {
    Path directory = Files.createTempDirectory("outbox-options");
    Shop shop = Shop.at("jdbc:h2:" + directory.resolve("shop"), "sa");
    lock(shop);
    directory.toFile().deleteOnExit();
    directory.resolve("shop.mv.db").toFile().deleteOnExit();
    return new ArrayList<>(List.of("serve", "--port", "0", "--url", shop.url, "--user", "ANN"));
  }

  private static void lock(Shop shop) throws Exception {
    shop.execute("CREATE USER ann PASSWORD '" + PASSWORD + "' ADMIN");
  }

  private static List<OptionRow> access() {
    return List.of(
        option(
                "ServeCommand --host",
                "127.0.0.1",
                "of this machine only (127.0.0.1), unless `--host` says")
            .row(
                "serve",
                set -> look(set ? "--host localhost" : "", out -> Serving.address(out).getHost()),
                "127.0.0.1",
                "localhost"),
        option("ServeCommand --port", "8080", "It listens to port 8080 (`--port`; 0 for any")
            .row("serve", set -> listensTo(freePort()), null, true),
        option("ServeCommand --prometheus", "", "--admin --prometheus")
            .row(
                "serve",
                set ->
                    look(
                        set ? "--anonymous --prometheus" : "--anonymous",
                        out -> Serving.get(out, API + "/metrics/prometheus", "").statusCode()),
                404,
                200),
        option("ServeCommand --json", "", "`--json` puts out one JSON object")
            .row(
                "serve", set -> look(set ? "--json" : "", out -> out.startsWith("{")), false, true),
        option("AccessOptions --read-token-env", "", TOKENS)
            .row("serve", set -> caller("--read-token-env"), null, 403),
        option("AccessOptions --admin-token-env", "", TOKENS)
            .row("serve", set -> caller("--admin-token-env"), null, 400),
        option("AccessOptions --admin", "", "`--admin` makes an admin token up")
            .row(
                "serve",
                set ->
                    look(
                        set ? "--admin" : "",
                        out -> act(out, Serving.after(out, "(?:read|admin) token +"))),
                403,
                400),
        option(
                "AccessOptions --anonymous",
                "",
                "`--anonymous` lets every user of this machine look")
            .row(
                "serve",
                set ->
                    look(
                        set ? "--anonymous" : "",
                        out -> Serving.get(out, API + "/session", "").statusCode()),
                401,
                200),
        option("AccessOptions --allowed-origin", "", "`--allowed-origin https://ops.example.org`")
            .row(
                "serve",
                set ->
                    look(
                        set ? "--anonymous --allowed-origin https://ops.example" : "--anonymous",
                        out -> Serving.statusFor("ops.example", out).contains(" 200 ")),
                false,
                true),
        option("AccessOptions --payloads", "", "Payloads are hidden unless `--payloads read`")
            .row(
                "serve",
                set ->
                    look(
                        set ? "--anonymous --payloads read" : "--anonymous",
                        out -> ask(out, "/session").contains("\"payloads\":true")),
                false,
                true));
  }

  private static OptionRow served(
      Option option,
      Given given,
      String value,
      Function<String, Object> look,
      @Nullable Object usual,
      Object other) {
    return option.row(
        "serve " + value,
        set -> {
          Shop shop = Shop.inMemory();
          given.in(shop);
          return look(shop, set ? "--anonymous " + value : "--anonymous", look);
        },
        usual,
        other);
  }

  private static Object look(String options, Function<String, Object> look) {
    return look(Shop.inMemory(), options, look);
  }

  private static Object look(Shop shop, String options, Function<String, Object> look) {
    List<String> arguments = new ArrayList<>(List.of("--url", shop.url, "--user", "sa"));
    if (!options.isEmpty()) {
      arguments.addAll(List.of(options.split(" ", -1)));
    }
    return seen(arguments, look);
  }

  private static Object seen(List<String> arguments, Function<String, Object> look) {
    Object[] seen = {"nothing"};
    Serving.serving(arguments, out -> seen[0] = look.apply(out));
    return seen[0];
  }

  private static String ask(String out, String path) {
    return Serving.get(out, API + path, "").body();
  }

  private static Object topics(String out, String path) {
    return OptionRow.found(ask(out, path), "\"topic\":\"([^\"]+)\"");
  }

  /**
   * 401 without a token, 403 for one that may only look, 400 for one that may act: nothing is to be
   * done.
   */
  private static Object act(String out, String token) {
    return Serving.act(out, API + "/dead/replay", token).statusCode();
  }

  /** What is answered to who acts with the token that a variable holds. */
  private static Object caller(String option) throws Exception {
    List<String> arguments = inFile();
    arguments.addAll(List.of(option, "SHOP_TOKEN"));
    return OwnProcess.serve(Map.of("SHOP_TOKEN", TOKEN), arguments, out -> act(out, TOKEN));
  }

  private static int freePort() throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static Object listensTo(int port) {
    return look("--port " + port, out -> Serving.address(out).getPort() == port);
  }
}
