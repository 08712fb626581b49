package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import outbox.cli.Cli.Result;

/** What is said to a wrong call, and how the command ends. */
class WrongCallsTest {
  private final Shop shop = Shop.inMemory();
  private final Cli script = Cli.script(shop);

  @Test
  void aWrongCallEndsWithTwoAndNamesTheOption() {
    wrong(script.run("list", "--status", "lost"), "status (lost) must be one of pending, failed");
    wrong(script.run("list", "--limit", "0"), "--limit (0) must be at least 1");
    wrong(script.run("list", "--since", "yesterday"), "--since", "'yesterday' is neither");
    wrong(script.run("list", "--after", "!"), "cursor");
    wrong(script.run("list", "--source", "bank"), "--source (bank)", "--inbox");
    wrong(script.run("list", "--inbox", "--tenant", "acme"), "--tenant (acme)", "--source");
    wrong(script.run("list", "--topic", "x".repeat(300)), "topic");
    wrong(script.run("list", "--table", "a b; DROP TABLE x"), "a b; DROP TABLE x");
    for (String timeout : List.of("0s", "PT0.0001S", "2h")) {
      wrong(script.run("list", "--timeout", timeout), "--timeout", "must be from 1ms to 1h");
    }
    wrong(script.run("list", "--since", "1h", "--until", "2h"), "--since", "before --until");
    wrong(script.run("list", "--since", "+12345-01-01T00:00:00Z"), "'+12345-", "is not from 1900");
    wrong(script.run("list", "--stauts", "dead"), "--stauts", "outbox list --help");
    wrong(script.run("show"), "ID");
    wrong(script.run("show", "x", "--source", "bank"), "--source (bank) is for --inbox");
    wrong(script.run("replay"), "either ids or --dead");
    wrong(script.run("replay", "--dead", "x"), "either ids or --dead");
    wrong(script.run("replay", "x", "--topic", "mail"), "[topic]", "exclude each other");
    wrong(script.run("replay", "--dead", "--rate", "0"), "--rate (0) must be at least 1");
    wrong(script.run("replay", "--dead", "--max-backlog", "0"), "--max-backlog (0)");
    wrong(script.run("replay", "--dead", "--by", "x".repeat(65)), "by");
    wrong(script.run("replay", "x".repeat(40)), "message id (40 characters)");
    wrong(script.run("discard", "--dead"), "--reason");
    wrong(script.run("discard", "--dead", "--reason", " "), "--reason must not be blank");
    wrong(script.run("purge"), "--done or --dead");
    wrong(script.run("purge", "--done", "soon"), "'soon' is no duration");
    wrong(script.run("purge", "--done", "999999d"), "'999999d' is too long; at most 36500d");
    wrong(Cli.nowhere().run("schema", "migrate", "--url", shop.url, "--rate", "0"), "--rate (0)");
    wrong(Cli.nowhere().run("status"), "--url");
  }

  private static void wrong(Result result, String... said) {
    assertThat(result.exit()).as(result.toString()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("error: ").contains(said).doesNotContain("\tat ");
  }

  @Test
  void anUnreachableDatabaseIsOneLine() {
    for (String command : List.of("status", "top", "list")) {
      String secret = UUID.randomUUID().toString();
      String url = "jdbc:postgresql://127.0.0.1:1/none?password=" + secret;
      Result result = Cli.nowhere().run(command, "--url", url);
      assertThat(result.exit()).isEqualTo(1);
      assertThat(result.err().lines().toList()).hasSize(1);
      assertThat(result.err())
          .startsWith("error: the database cannot be reached: ")
          .doesNotContain(secret);
    }
  }

  @Test
  void aUrlThatNoDriverUnderstandsIsAWrongCall() {
    for (String url :
        List.of(
            "localhost/shop?token=", "jdbc:nosuch:x;pwd=", "jdbc:postgresql://db:port/x;pwd=")) {
      for (String command : List.of("status", "serve")) {
        String secret = UUID.randomUUID().toString();
        Result result = Cli.nowhere().run(command, "--url", url + secret);
        wrong(result, "--url (", "no driver understands it", "driver.jar");
        assertThat(result.err().lines().toList()).hasSize(1);
        assertThat(result.err()).doesNotContain(secret);
      }
    }
    wrong(Cli.nowhere().run("schema", "check", "--url", "jdbc:nosuch:x"), "no driver");
  }

  @Test
  void nothingInACallReachesTheTerminalAsACommand() {
    wrong(script.run("list", "--\033[2J"), "Unknown option", "[2J");
    assertThat(script.run("list", "--\033[2J").err()).doesNotContain("\033");
  }

  @Test
  void verboseAddsTheStackTrace() {
    Result result =
        Cli.nowhere()
            .run(
                "list", "--verbose", "--url", "jdbc:postgresql://127.0.0.1:1/x?password=verbosely");
    assertThat(result.err()).contains("\tat outbox.").doesNotContain("verbosely");
  }

  @Test
  void aMissingTableIsNamed() {
    Result result = script.run("list", "--table", "elsewhere");
    assertThat(result.exit()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("error: table elsewhere is not there")
        .contains("--table", "outbox schema migrate");
  }

  @Test
  void aPasswordIsAskedForOnceAndNeverShown() throws Exception {
    shop.execute("CREATE USER ann PASSWORD 'topsecret' ADMIN");
    Result status =
        Cli.person(shop, 80, "ANN").answers("topsecret").run("status", "--password-prompt");
    assertThat(status.exit()).as(status.toString()).isZero();
    assertThat(status.out() + status.err()).doesNotContain("topsecret");
    Result refused =
        Cli.person(shop, 80, "ANN").answers("wrong").run("status", "--password-prompt");
    assertThat(refused.exit()).isEqualTo(1);
    assertThat(refused.err()).startsWith("error: the database does not let this user in: ");
    wrong(script.run("status", "--password-prompt"), "no terminal to ask at");
  }

  @Test
  void everyCommandHasHelpWithExitCodes() {
    for (String command :
        List.of("status", "top", "list", "show", "replay", "discard", "purge", "serve", "schema")) {
      Result help = Cli.nowhere().run(command, "--help");
      assertThat(help.exit()).isZero();
      assertThat(help.out()).contains("Usage: outbox " + command).contains("Exit codes:");
    }
    assertThat(Cli.nowhere().run("--help").out()).contains("replay", "purge", "schema");
  }
}
