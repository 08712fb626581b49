package outbox.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import outbox.admin.AdminConfig;

/** The server that the command starts, asked over HTTP. */
class ServeCommandTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Shop shop = Shop.inMemory();

  @Test
  void servesSeveralDatabasesToThoseWhoHaveTheTokenThatItMadeUp() {
    shop.dead("mail", 3, "timeout");
    Shop other = Shop.inMemory();
    serving(
        List.of("--url", "main=" + shop.url, "--url", "archive=" + other.url, "--user", "sa"),
        out -> {
          assertThat(out)
              .contains("main: jdbc:h2:mem:", "archive: jdbc:h2:mem:", "outbox inbox")
              .containsPattern("dashboard +http://127.0.0.1:");
          String token = after(out, "read token +");
          assertThat(get(out, "/api/workflow/outbox/databases", "").statusCode()).isEqualTo(401);
          HttpResponse<String> databases = get(out, "/api/workflow/outbox/databases", token);
          assertThat(databases.statusCode()).isEqualTo(200);
          assertThat(databases.body()).contains("\"main\"", "\"archive\"");
          assertThat(get(out, "/", token).body()).contains("<html");
          assertThat(post(out, "/api/workflow/outbox/dead/replay", token).statusCode())
              .isGreaterThanOrEqualTo(400);
        });
  }

  @Test
  void aDatabaseThatIsDownDoesNotHideTheOthers() {
    serving(
        List.of(
            "--anonymous",
            "--user",
            "sa",
            "--url",
            "down=jdbc:h2:tcp://127.0.0.1:1/x",
            "--url",
            shop.url),
        out -> {
          assertThat(out)
              .contains("down: jdbc:h2:tcp://127.0.0.1:1/x, the database cannot be reached");
          assertThat(out).doesNotContain("token");
          assertThat(get(out, "/", "").statusCode()).isEqualTo(200);
        });
  }

  @Test
  void aDatabaseWithoutTablesIsToldToBeThat() {
    serving(
        List.of("--anonymous", "--user", "sa", "--url", "jdbc:h2:mem:empty;DB_CLOSE_DELAY=-1"),
        out -> {
          assertThat(out).contains("empty: jdbc:h2:mem:empty, none of the tables is there");
          HttpResponse<String> health = get(out, "/api/workflow/outbox/health", "");
          assertThat(health.statusCode()).isEqualTo(503);
          assertThat(health.body()).contains("the database has none of the tables");
        });
  }

  @Test
  void aProxyOnThisMachineIsLetInByTheNameThatIsAllowed() {
    serving(
        List.of(
            "--anonymous",
            "--allowed-origin",
            "https://ops.example",
            "--user",
            "sa",
            "--url",
            shop.url),
        out -> {
          assertThat(statusFor("ops.example", out)).contains(" 200 ");
          assertThat(statusFor("evil.example", out)).contains(" 403 ");
        });
  }

  /** The first line of the answer; a client library would set the host by itself. */
  private static String statusFor(String host, String out) {
    String request = "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address(out).getPort())) {
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII).lines().findFirst().get();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whereItIsIsToldToScriptsToo() {
    serving(
        List.of("--json", "--admin", "--url", "main=" + shop.url, "--user", "main=sa"),
        out -> {
          assertThat(out).startsWith("{\"dashboard\":\"http://127.0.0.1:");
          assertThat(out).containsPattern("\"adminToken\":\"[0-9a-f]{48}\"");
          assertThat(out).contains("\"databases\":[\"main\"]");
        });
  }

  private static void serving(List<String> arguments, Consumer<String> whileItRuns) {
    StringWriter out = new StringWriter();
    List<String> all = new ArrayList<>(List.of("serve", "--port", "0"));
    all.addAll(arguments);
    CompletableFuture<Integer> exit = new CompletableFuture<>();
    StringWriter err = new StringWriter();
    Thread server =
        new Thread(
            () ->
                exit.complete(
                    Main.run(
                        new PrintWriter(out, true),
                        new PrintWriter(err, true),
                        FakeTerminal.none(),
                        all.toArray(new String[0]))));
    server.start();
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> out.toString().contains(AdminConfig.DEFAULT_API_PATH) || exit.isDone());
      await().atMost(PATIENCE).until(() -> out.toString().endsWith("\n") || exit.isDone());
      assertThat(exit).as(err.toString()).isNotDone();
      whileItRuns.accept(out.toString());
    } finally {
      server.interrupt();
    }
    assertThat(exit.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isZero();
  }

  @Test
  void refusesWhatWouldOpenItToEverybody() {
    Cli cli = Cli.script(shop);
    wrong(cli.run("serve", "--anonymous", "--host", "0.0.0.0"), "--anonymous", "--read-token-env");
    wrong(cli.run("serve", "--read-token-env", "NO_SUCH"), "NO_SUCH is not set");
    wrong(cli.run("serve", "--port", "70000"), "--port (70000)");
    wrong(cli.run("serve", "--allowed-origin", "ops"), "--allowed-origin (ops) must be");
    wrong(cli.run("serve", "--host", "[nowhere]"), "--host ([nowhere]) is not known");
    wrong(cli.run("serve", "--url", shop.url), "two databases are called");
    wrong(Cli.nowhere().run("serve"), "--url is missing", "OUTBOX_URL");
  }

  @Test
  void aNameThatNoDatabaseHasIsRefused() {
    Cli cli = Cli.nowhere();
    for (String option : List.of("--user", "--password-env", "--password-file")) {
      wrong(
          cli.run("serve", "--url", "main=" + shop.url, option, "b=sa"),
          option + " (b=sa): no database is called b; there is main");
    }
  }

  @Test
  void theUserOfALoneDatabaseMayHaveAnEqualsSignInItsName() {
    serving(
        List.of("--url", shop.url, "--user", "b=sa"),
        out -> assertThat(out).contains("the database does not let this user in"));
  }

  @Test
  void aPortInUseIsNamedWithTheOptionForAnother() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Cli.Result result = Cli.script(shop).run("serve", "--port", port);
      assertThat(result.exit()).isEqualTo(1);
      assertThat(result.err()).contains("cannot listen to port " + port, "--port");
    }
  }

  private static void wrong(Cli.Result result, String... said) {
    assertThat(result.exit()).as(result.toString()).isEqualTo(2);
    assertThat(result.err()).contains(said);
  }

  private static HttpResponse<String> get(String out, String path, String token) {
    return send(HttpRequest.newBuilder(address(out).resolve(path)).GET(), token);
  }

  private static HttpResponse<String> post(String out, String path, String token) {
    return send(
        HttpRequest.newBuilder(address(out).resolve(path))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .header("Content-Type", "application/json"),
        token);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String token) {
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return HttpClient.newHttpClient()
        .sendAsync(request.timeout(PATIENCE).build(), BodyHandlers.ofString())
        .join();
  }

  private static URI address(String out) {
    return URI.create(after(out, "dashboard +"));
  }

  private static String after(String out, String name) {
    return out.replaceAll("(?s).*" + name + "(\\S+).*", "$1");
  }
}
