package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.cli.Serving.after;
import static outbox.cli.Serving.get;
import static outbox.cli.Serving.post;
import static outbox.cli.Serving.serving;
import static outbox.cli.Serving.statusFor;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server that the command starts, asked over HTTP. */
@Tag("slow")
class ServeCommandTest {
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
}
