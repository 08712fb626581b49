package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.cli.Cli.Result;

/** purge, on H2. */
class PurgeCommandTest {
  private final Shop shop = Shop.inMemory();
  private final Cli script = Cli.script(shop);

  @Test
  void removesWhatIsOldAfterAYes() throws Exception {
    shop.done("order", 1_200);
    shop.dead("mail", 5, "timeout");
    shop.execute(
        "UPDATE outbox_event SET done_at = DATEADD(DAY, -8, done_at), available_at ="
            + " DATEADD(DAY, -8, available_at)");
    shop.done("order", 3);
    shop.pending("order", 2);
    Result purge =
        Cli.person(shop, 100).answers("yes").run("purge", "--done", "7d", "--dead", "7d");
    assertThat(purge.exit()).isZero();
    assertThat(purge.err())
        .contains(
            "Remove 1,200 done for more than 7d and 5 dead for more than 7d from outbox_event")
        .contains("1,205 of 1,205 (100%)");
    assertThat(purge.out()).isEqualTo("removed 1,205 messages\n");
    assertThat(script.run("list").lines()).hasSize(6);
  }

  @Test
  void keepsWhatIsYoungAndWhatWasNotConfirmed() {
    shop.done("order", 3);
    assertThat(script.run("purge", "--done", "1h", "--yes").out())
        .isEqualTo("removed 0 messages\n");
    assertThat(script.run("purge", "--done", "0s").exit()).isEqualTo(3);
    assertThat(script.run("purge", "--done", "0s", "--dry-run").out())
        .isEqualTo("would remove 3 done for more than 0ms; nothing was changed\n");
    assertThat(script.run("purge", "--done", "0s", "--yes", "--json").out())
        .contains("\"done\":{\"matched\":3,\"exact\":true,\"changed\":3}", "\"stopped\":false");
  }

  @Test
  void anInboxIsTheSame() {
    shop.deadReceived("bank", "m-1");
    assertThat(script.run("purge", "--inbox", "--dead", "0s", "--yes").out())
        .isEqualTo("removed 1 message\n");
    assertThat(script.run("list", "--inbox").out()).isEmpty();
  }
}
