package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ActionLogTest {
  @RegisterExtension final LoggedLines lines = new LoggedLines(ActionLog.LOGGER);

  @Test
  void everyActionIsLoggedWithWhoDidItAndWithoutAPayload() {
    try (Site site = Site.start(it -> it.showPayloads(Role.READ))) {
      String dead = site.queue().dead("order", "boom", it -> it.payloadJson("{\"card\":4711}"));
      site.get("/" + dead + "?payload=true");
      site.post("/" + dead + "/replay", null);
      site.post("/" + dead + "/defer", "{\"delayMs\":1000}");
      site.post("/" + dead + "/release", null);
      site.post("/dead/discard", "{\"ids\":[\"" + dead + "\"],\"reason\":\"why\\nnot\"}");

      assertThat(lines.all)
          .contains(
              "OUTBOX_ADMIN_ACTION user=\"rita\" action=payload db=\"main\" id=\"" + dead + "\"",
              "OUTBOX_ADMIN_ACTION user=\"alan\" action=replay db=\"main\" id=\""
                  + dead
                  + "\" changed=1",
              "OUTBOX_ADMIN_ACTION user=\"alan\" action=discard db=\"main\" of=\"/dead\" ids=\""
                  + dead
                  + "\" reason=\"why not\" changed=0")
          .anyMatch(line -> line.contains("action=defer") && line.contains("changed=1"))
          .anyMatch(line -> line.contains("action=release") && line.contains("changed=1"));
      assertThat(String.join("\n", lines.all)).doesNotContain("4711");
    }
  }

  @Test
  void aJobIsLoggedBeforeItBeginsAndWhenItHasEnded() {
    try (Site site = Site.start()) {
      site.queue().dead("order", "boom");
      String reason = "r".repeat(EventCalls.MAX_REASON);
      String job =
          site.post("/dead/discard", "{\"all\":true,\"reason\":\"" + reason + "\"}").value("/job");
      String ended =
          "OUTBOX_ADMIN_ACTION user=\"alan\" action=discard-ended db=\"main\" of=\"/dead\" job=\""
              + job
              + "\" state=\"DONE\" changed=1";

      await().atMost(Duration.ofSeconds(60)).until(() -> lines.all.contains(ended));
      assertThat(lines.all.get(lines.all.indexOf(ended) - 1))
          .contains("action=discard ", "reason=\"" + reason + "\" job=\"" + job + "\"");
    }
  }

  @Test
  void refusalsAreLoggedWithoutTheCredential() {
    try (Site site = Site.start()) {
      site.send(
          site.action("/x/replay", null).header("Authorization", "Bearer wrong-token-0123456789"));
      site.send(site.action("/x/replay", null).header("Authorization", "Bearer " + Site.READER));

      assertThat(lines.all)
          .anyMatch(line -> line.startsWith("OUTBOX_ADMIN_REFUSED user=\"\" status=401"))
          .anyMatch(line -> line.startsWith("OUTBOX_ADMIN_REFUSED user=\"rita\" status=403"));
      assertThat(String.join("\n", lines.all)).doesNotContain("wrong-token", Site.READER);
    }
  }

  @Test
  void noInputForgesALine() {
    new ActionLog()
        .done(new Caller("eve\nOUTBOX_ADMIN_ACTION user=\"alan\"", Role.READ), "x", "id", "a\r\nb");

    assertThat(lines.all)
        .containsExactly(
            "OUTBOX_ADMIN_ACTION user=\"eve OUTBOX_ADMIN_ACTION user='alan'\" action=x id=\"a  b\"");
  }
}
