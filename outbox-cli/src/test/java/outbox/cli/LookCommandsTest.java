package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.cli.Cli.Result;
import outbox.inbox.InboxKey;
import outbox.model.MessageId;

/** What status, list and show put out, on H2. */
class LookCommandsTest {
  private final Shop shop = Shop.inMemory();
  private final Cli script = Cli.script(shop);

  @Test
  void statusTellsAPersonWhatIsWrong() {
    shop.dead("mail", 3, "timeout");
    shop.done("order", 5);
    shop.pending("invoice", 2);
    Result status = Cli.person(shop, 80).run("status");
    assertThat(status.exit()).isZero();
    assertThat(status.out())
        .contains("outbox_event of jdbc:h2:mem:")
        .containsPattern("health +DEGRADED")
        .contains("3 dead letters (degraded from 1)")
        .containsPattern("backlog +2, 0 of them being worked on")
        .containsPattern("scheduled +0")
        .containsPattern("dead +3")
        .containsPattern("mail +0 +0 +0 +3 +-");
    assertThat(status.lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void waitsOfJoinsAreNeitherCountedNorListedUnlessAskedFor() {
    shop.pending("join.wait", 2);
    shop.pending("order", 1);
    assertThat(script.run("status").out())
        .containsPattern("backlog +1,")
        .doesNotContain("join.wait");
    assertThat(script.run("list").out()).contains("order").doesNotContain("join.wait");
    assertThat(script.run("list", "--topic", "join.wait").out()).contains("join.wait");
    assertThat(script.run("list", "--wait-topic", "order").out())
        .contains("join.wait")
        .doesNotContain("order");
  }

  @Test
  void statusTellsAScriptTheSame() {
    shop.dead("mail", 3, "timeout");
    Result status = script.run("status", "--json");
    assertThat(status.exit()).isZero();
    assertThat(status.lines()).hasSize(1);
    assertThat(status.out())
        .startsWith("{")
        .contains("\"health\":{\"status\":\"DEGRADED\"")
        .contains("\"dead\":{\"value\":3,\"atLeast\":false}")
        .contains("\"topic\":\"mail\"")
        .contains("\"product\":\"H2\"");
  }

  @Test
  void joinsAreLookedForInTheTableThatIsNamed() throws SQLException {
    MessageId step = shop.pending("order", 1).get(0);
    assertThat(script.run("schema migrate", "--joins=fan_in").exit()).isZero();
    try (Connection connection = DriverManager.getConnection(shop.url, "sa", "");
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO fan_in (join_id, expected_steps) VALUES ('j-1', 1)");
      statement.execute(
          "INSERT INTO fan_in_member (join_id, message_id) VALUES ('j-1', '" + step + "')");
    }

    assertThat(script.run("show", step.value(), "--join-table", "fan_in").out()).contains("j-1");
    assertThat(script.run("show", step.value()).out()).doesNotContain("j-1");
  }

  @Test
  void statusFailsFromTheVerdictOnThatWasAskedFor() {
    assertThat(script.run("status", "--fail-on", "degraded").exit()).isZero();
    shop.dead("mail", 1, "timeout");
    assertThat(script.run("status").exit()).isZero();
    assertThat(script.run("status", "--fail-on", "degraded").exit()).isEqualTo(1);
  }

  @Test
  void statusShowsWhoHoldsLeases() {
    shop.pending("order", 4);
    shop.lease(3);
    assertThat(script.run("status").out()).contains("LEASES").containsPattern("\\S+ +3 +20\\d\\d-");
    assertThat(script.run("status", "--json").out()).contains("\"leases\":3");
  }

  @Test
  void statusOfAnInbox() {
    shop.deadReceived("bank", "m-1");
    Result status = script.run("status", "--inbox");
    assertThat(status.out()).contains("outbox_inbox of").containsPattern("dead +1");
  }

  @Test
  void listFitsTheTerminalAndCutsOnlyWithAnEllipsis() {
    String error = "java.net.SocketTimeoutException: connect timed out after 30 seconds of waiting";
    MessageId id = shop.dead("a-topic-with-quite-a-long-name", 1, error).get(0);
    Result list = Cli.person(shop, 100).run("list", "--status", "dead");
    assertThat(list.lines()).hasSize(2).allMatch(line -> Columns.of(line) <= 100);
    assertThat(list.lines().get(0)).startsWith("ID ").contains("TOPIC", "STATUS", "ERROR");
    assertThat(list.lines().get(1)).startsWith(id.value()).contains("DEAD", "…", "SocketTimeout");
    assertThat(script.run("list").out()).contains("a-topic-with-quite-a-long-name", error);
  }

  @Test
  void aNarrowTerminalLosesColumnsButNoId() {
    MessageId id = shop.dead("mail", 1, "timeout").get(0);
    Result list = Cli.person(shop, 40).run("list");
    assertThat(list.out()).contains(id.value()).doesNotContain("ERROR");
  }

  @Test
  void listFilters() {
    shop.dead("mail", 2, "timeout");
    shop.dead("order", 3, "no stock");
    shop.outbox.enqueue(
        EventEnvelope.builder("order")
            .tenantId("acme")
            .correlationId("c-1")
            .payloadJson("{}")
            .build());
    assertThat(rows(script.run("list"))).isEqualTo(6);
    assertThat(rows(script.run("list", "--status", "dead"))).isEqualTo(5);
    assertThat(rows(script.run("list", "--topic", "order"))).isEqualTo(4);
    assertThat(rows(script.run("list", "--tenant", "acme"))).isEqualTo(1);
    assertThat(rows(script.run("list", "--correlation", "c-1"))).isEqualTo(1);
    assertThat(rows(script.run("list", "--status", "dead", "--error", "stock"))).isEqualTo(3);
    assertThat(rows(script.run("list", "--status", "dead", "--since", "1h"))).isEqualTo(5);
    Result none = script.run("list", "--until", "2020-01-01T00:00:00Z");
    assertThat(none.exit()).isZero();
    assertThat(none.out()).isEmpty();
    assertThat(none.err()).contains("no message is like that");
  }

  private static int rows(Result list) {
    assertThat(list.exit()).as(list.toString()).isZero();
    return list.lines().size() - 1;
  }

  @Test
  void listGoesOnWhereItEnded() {
    shop.pending("order", 450);
    Result first = script.run("list", "--limit", "300");
    assertThat(rows(first)).isEqualTo(300);
    assertThat(first.err()).contains("continue with: --after ");
    String cursor = first.err().replaceAll("(?s).*--after (\\S+).*", "$1");
    Result second = script.run("list", "--limit", "300", "--after", cursor);
    assertThat(rows(second)).isEqualTo(150);
    assertThat(second.err()).isEmpty();
    assertThat(second.lines().subList(1, 150)).doesNotContainAnyElementsOf(first.lines());
  }

  @Test
  void listForScriptsHasACursorToo() {
    shop.pending("order", 3);
    Result list = script.run("list", "--json", "--limit", "2");
    assertThat(list.lines()).hasSize(1);
    assertThat(list.out()).startsWith("{\"items\":[{\"id\":").contains("\"topic\":\"order\"");
    assertThat(list.out()).containsPattern("\"next\":\"[^\"]+\"");
    assertThat(script.run("list", "--json").out()).endsWith("\"next\":null,\"window\":null}\n");
  }

  @Test
  void nothingInAMessageReachesTheTerminalAsACommand() {
    MessageId id = shop.dead("evil\033[2Jtopic", 1, "first\nsecond\033]0;title\007").get(0);
    Result list = script.run("list");
    assertThat(list.lines()).hasSize(2);
    assertThat(list.out()).doesNotContain("\033").doesNotContain("\007");
    Result shown = script.run("show", id.value());
    assertThat(shown.out()).contains("first\nsecond").doesNotContain("\033");
    assertThat(script.run("show", id.value(), "--json").out())
        .contains("\\u001B")
        .doesNotContain("\033");
  }

  @Test
  void showHasTheTimeLineAndNoPayloadUnlessAsked() {
    MessageId id = shop.dead("mail", 1, "timeout").get(0);
    Result shown = Cli.person(shop, 80).run("show", id.value());
    assertThat(shown.exit()).isZero();
    assertThat(shown.out())
        .contains(id.value(), "DEAD", "stored", "died", "1 failed delivery", "timeout")
        .contains("not shown; add --payload")
        .doesNotContain("order");
    assertThat(script.run("show", id.value(), "--payload").out()).contains("{\"order\":0}");
    assertThat(script.run("show", id.value(), "--json").out())
        .contains("\"payload\":{\"kind\":\"hidden\"", "\"what\":\"died\"")
        .doesNotContain("order");
    assertThat(script.run("show", id.value(), "--json", "--payload").out())
        .contains("\"text\":\"{\\\"order\\\":0}\"");
  }

  @Test
  void showOfWhatIsNotThereEndsWithOne() {
    Result shown = script.run("show", "nobody");
    assertThat(shown.exit()).isEqualTo(1);
    assertThat(shown.err()).isEqualTo("error: outbox_event has no message nobody\n");
  }

  @Test
  void listAndShowOfAnInboxGoBySender() {
    InboxKey key = shop.deadReceived("bank", "m-1");
    shop.deadReceived("shop", "m-1");
    assertThat(script.run("list", "--inbox", "--source", "bank").lines()).hasSize(2);
    assertThat(script.run("list", "--inbox", "--status", "dead").lines()).hasSize(3);
    Result shown = script.run("show", "--inbox", "--source", key.source(), key.messageId());
    assertThat(shown.out()).containsPattern("source +bank").contains("DEAD");
    assertThat(script.run("show", "--inbox", "m-1").exit()).isEqualTo(2);
  }

  @Test
  void aDeferredMessageIsScheduled() {
    List<MessageId> ids = shop.pending("order", 1);
    shop.outbox.enqueue(
        EventEnvelope.builder("order")
            .payloadJson("{}")
            .dueAt(java.time.Instant.now().plus(Duration.ofHours(1)))
            .build());
    Result list = script.run("list", "--status", "scheduled");
    assertThat(list.lines()).hasSize(2);
    assertThat(list.out()).doesNotContain(ids.get(0).value());
  }
}
