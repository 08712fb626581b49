package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.cli.Cli.Result;
import outbox.inbox.InboxKey;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;

/** replay and discard, on H2. */
class DeadLetterCommandsTest {
  private final Shop shop = Shop.inMemory();
  private final Cli script = Cli.script(shop);

  @Test
  void replaysAllOfAFilterAfterAYes() {
    shop.dead("mail", 3, "timeout");
    shop.dead("order", 2, "no stock");
    Result replay =
        Cli.person(shop, 80).answers("y").run("replay", "--dead", "--topic", "mail", "--by", "ann");
    assertThat(replay.exit()).isZero();
    assertThat(replay.err().replace('\n', ' '))
        .contains("Replay 3 dead messages (topic mail) of outbox_event in jdbc:h2:mem:")
        .contains("[y/N]")
        .contains("3 of 3 (100%)");
    assertThat(replay.out()).isEqualTo("replayed 3 messages\n");
    assertThat(dead()).isEqualTo(2);
    Result pending = script.run("list", "--status", "pending", "--json");
    assertThat(pending.out()).contains("\"replays\":1");
  }

  private int dead() {
    return shop.outbox.deadLetters().count(DeadLetterFilter.all()).number();
  }

  @Test
  void changesNothingUnlessConfirmed() {
    shop.dead("mail", 3, "timeout");
    for (String answer : List.of("n", "", "yess")) {
      Result replay = Cli.person(shop, 80).answers(answer).run("replay", "--dead");
      assertThat(replay.exit()).isEqualTo(3);
      assertThat(replay.err()).contains("nothing was changed");
    }
    Result unasked = script.run("discard", "--dead", "--reason", "test");
    assertThat(unasked.exit()).isEqualTo(3);
    assertThat(unasked.err()).contains("there is no terminal for the answer. Add --yes");
    assertThat(dead()).isEqualTo(3);
  }

  @Test
  void aDryRunOnlyCounts() {
    shop.dead("mail", 3, "timeout");
    Result dry = script.run("replay", "--dead", "--dry-run");
    assertThat(dry.exit()).isZero();
    assertThat(dry.out()).isEqualTo("would replay 3 dead messages; nothing was changed\n");
    assertThat(script.run("discard", "--dead", "--dry-run", "--reason", "x", "--json").out())
        .contains("\"action\":\"discard\"", "\"dryRun\":true", "\"matched\":3", "\"changed\":0");
    assertThat(dead()).isEqualTo(3);
  }

  @Test
  void nothingToReplayIsNoFailure() {
    Result replay = script.run("replay", "--dead", "--error", "nobody's");
    assertThat(replay.exit()).isZero();
    assertThat(replay.out()).contains("nothing to replay");
  }

  @Test
  void replaysByIdAndNamesThoseThatWereNotDead() {
    List<MessageId> ids = shop.dead("mail", 2, "timeout");
    Result replay = script.run("replay", "--yes", ids.get(0).value(), "unknown");
    assertThat(replay.exit()).isEqualTo(1);
    assertThat(replay.out()).isEqualTo("replayed 1 message\n");
    assertThat(replay.err()).isEqualTo("not dead, or not there: unknown\n");
    Result json = script.run("replay", "--yes", "--json", ids.get(1).value());
    assertThat(json.exit()).isZero();
    assertThat(json.out())
        .contains("\"changedIds\":[\"" + ids.get(1) + "\"]", "\"notDead\":[]", "\"stopped\":false");
    assertThat(dead()).isZero();
  }

  @Test
  void aDryRunByIdChangesNothing() {
    List<MessageId> ids = shop.dead("mail", 2, "timeout");
    Result dry = script.run("replay", "--dry-run", ids.get(0).value(), ids.get(1).value());
    assertThat(dry.out()).isEqualTo("would replay 2 messages\n");
    assertThat(dead()).isEqualTo(2);
  }

  @Test
  void namesTheListenersAndReplaysOnlyThoseThatAreNotDone() throws Exception {
    MessageId kept = shop.dead("mail", 1, "[broker] timeout").get(0);
    MessageId all = shop.dead("mail", 1, "[broker] timeout").get(0);
    shop.execute("UPDATE outbox_event SET listeners = '{\"mail\":\"done\",\"broker\":\"failed\"}'");

    assertThat(script.run("show", kept.value()).out())
        .containsPattern("failed +broker")
        .containsPattern("done +mail");
    assertThat(script.run("list", "--status", "dead", "--json").out())
        .contains("\"failedListeners\":[\"broker\"]");
    assertThat(script.run("replay", "--yes", "--failed-only", kept.value()).exit()).isZero();
    assertThat(script.run("replay", "--yes", "--dead").exit()).isZero();

    assertThat(script.run("show", kept.value()).out()).containsPattern("done +mail");
    assertThat(script.run("show", all.value()).out()).doesNotContainPattern("done +mail");
  }

  @Test
  void discardLeavesTheReason() {
    MessageId id = shop.dead("mail", 1, "timeout").get(0);
    Result discard =
        script.run("discard", "--yes", "--reason", "customer gone", "--by", "bob", id.value());
    assertThat(discard.exit()).isZero();
    assertThat(discard.out()).isEqualTo("discarded 1 message\n");
    assertThat(script.run("show", id.value()).out())
        .contains("discarded by bob: customer gone")
        .containsPattern("status +DONE");
  }

  @Test
  void anInboxIsTheSame() {
    InboxKey first = shop.deadReceived("bank", "m-1");
    shop.deadReceived("bank", "m-2");
    shop.deadReceived("shop", "m-1");
    assertThat(script.run("replay", "--inbox", "--yes", "--source", "bank", "m-1").exit()).isZero();
    assertThat(shop.inbox.deadLetters().count(DeadLetterFilter.all()).number()).isEqualTo(2);
    Result discard =
        script.run("discard", "--inbox", "--dead", "--source", "bank", "--reason", "x", "--yes");
    assertThat(discard.out()).isEqualTo("discarded 1 message\n");
    assertThat(script.run("show", "--inbox", "--source", "bank", first.messageId()).out())
        .containsPattern("status +PROCESSING");
  }

  @Test
  void tenThousandMessagesShowTheirProgressLineByLineToAScript() {
    shop.dead("mail", 10_000, "timeout");
    Result replay =
        script.run("replay", "--dead", "--yes", "--rate", "1000000", "--max-backlog", "20000");
    assertThat(replay.exit()).isZero();
    assertThat(replay.out()).isEqualTo("replayed 10,000 messages\n");
    assertThat(replay.err().lines())
        .hasSize(10)
        .first()
        .asString()
        .startsWith("replay: 1,000 of 10,000 (10%), ");
    assertThat(replay.err()).contains("replay: 10,000 of 10,000 (100%), ");
    assertThat(dead()).isZero();
  }

  @Test
  void jsonHasNoProgress() {
    shop.dead("mail", 600, "timeout");
    Result replay = script.run("replay", "--dead", "--yes", "--json");
    assertThat(replay.err()).isEmpty();
    assertThat(replay.out())
        .isEqualTo(
            "{\"action\":\"replay\",\"dryRun\":false,\"matched\":600,\"exact\":true,"
                + "\"changed\":600,\"stopped\":false}\n");
  }
}
