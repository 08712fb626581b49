package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.admin.Site.Reply;

class DeadLetterApiTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String MAIL_IS_DONE = "\"doneListeners\":[\"mail\"]";

  private Site site;
  private SampleQueue queue;

  @BeforeEach
  void start() {
    site = Site.start();
    queue = site.queue();
  }

  @AfterEach
  void stop() {
    site.close();
  }

  @Test
  void replaysASelectionAtOnce() {
    String one = queue.dead("order", "boom");
    String two = queue.dead("order", "boom");
    String left = queue.dead("order", "boom");

    Reply reply =
        site.post("/dead/replay", "{\"ids\":[\"" + one + "\",\"" + two + "\",\"unknown\"]}");

    assertThat(reply.text()).isEqualTo("{\"changed\":2}");
    assertThat(site.get("?status=dead").each("/items", "id")).containsExactly(left);
  }

  @Test
  void countsWhatAFilterMeansBeforeAnythingHappens() {
    queue.dead("order", "boom");
    queue.dead("order", "boom");
    queue.dead("other", "boom");

    Reply reply = site.post("/dead/replay", "{\"filter\":{\"topic\":\"order\"},\"dryRun\":true}");

    assertThat(reply.text()).isEqualTo("{\"count\":{\"value\":2,\"atLeast\":false}}");
    assertThat(site.get("?status=dead").each("/items", "id")).hasSize(3);
  }

  @Test
  void replaysByFilterAsAJobThatCanBeFollowed() {
    queue.dead("order", "boom");
    queue.dead("order", "boom");
    String left = queue.dead("other", "boom");

    Reply started = site.post("/dead/replay", "{\"filter\":{\"topic\":\"order\"}}");

    assertThat(started.status()).isEqualTo(202);
    Reply ended = end(started.value("/job"));
    assertThat(ended.value("/state")).isEqualTo("DONE");
    assertThat(ended.value("/done")).isEqualTo("2");
    assertThat(ended.value("/total")).isEqualTo("2");
    assertThat(ended.value("/by")).isEqualTo("alan");
    assertThat(site.get("?status=dead").each("/items", "id")).containsExactly(left);
  }

  @Test
  void namesTheListenersThatFailedAndReplaysOnlyThem() {
    String one = queue.dead("order", "boom", Map.of("mail", "done", "broker", "failed"));
    String two = queue.dead("order", "boom", Map.of("mail", "done", "broker", "failed"));

    assertThat(site.get("?status=dead").text()).contains("\"failedListeners\":[\"broker\"]");
    assertThat(site.get("/" + one).text()).contains(MAIL_IS_DONE);

    site.post("/" + one + "/replay", "{\"failedOnly\":true}");
    site.post("/dead/replay", "{\"ids\":[\"" + two + "\"]}");

    assertThat(site.get("/" + one).value("/status")).isEqualTo("NEW");
    assertThat(site.get("/" + one).text()).contains(MAIL_IS_DONE);
    assertThat(site.get("/" + two).value("/status")).isEqualTo("NEW");
    assertThat(site.get("/" + two).text()).contains("\"doneListeners\":[]");
  }

  @Test
  void replaysByFilterOnlyTheListenersThatAreNotDone() {
    String id = queue.dead("order", "boom", Map.of("mail", "done", "broker", "dead: boom"));

    Reply started = site.post("/dead/replay", "{\"all\":true,\"failedOnly\":true}");

    end(started.value("/job"));
    assertThat(site.get("/" + id).value("/status")).isEqualTo("NEW");
    assertThat(site.get("/" + id).text())
        .contains(MAIL_IS_DONE)
        .contains("\"failedListeners\":[\"broker\"]");
  }

  @Test
  void aDiscardRunsNoListenersAndSaysSo() {
    Reply refused =
        site.post("/dead/discard", "{\"all\":true,\"failedOnly\":true,\"reason\":\"x\"}");

    assertThat(refused.value("/field")).isEqualTo("failedOnly");
  }

  @Test
  void discardsAllWithAReason() {
    queue.dead("order", "boom");

    Reply without = site.post("/dead/discard", "{\"all\":true}");
    Reply started = site.post("/dead/discard", "{\"all\":true,\"reason\":\"test data\"}");

    assertThat(without.status()).isEqualTo(400);
    assertThat(without.value("/field")).isEqualTo("reason");
    assertThat(end(started.value("/job")).value("/done")).isEqualTo("1");
    assertThat(site.get("?status=dead").each("/items", "id")).isEmpty();
  }

  @Test
  void aSelectionAndAFilterAtOnceOrNeitherAreRefused() {
    String dead = queue.dead("order", "boom");

    assertThat(site.post("/dead/replay", "{}").status()).isEqualTo(400);
    assertThat(site.post("/dead/replay", "{\"ids\":[],\"filter\":{}}").status()).isEqualTo(400);
    assertThat(site.post("/dead/replay", "{\"ids\":[]}").status()).isEqualTo(400);
    assertThat(site.post("/dead/replay", "{\"filter\":{\"topik\":\"x\"}}").value("/field"))
        .isEqualTo("topik");
    List<String> many = new ArrayList<>();
    for (int i = 0; i <= DeadLetterCalls.MAX_IDS; i++) {
      many.add("\"" + i + "\"");
    }
    assertThat(site.post("/dead/replay", "{\"ids\":" + many + "}").value("/field"))
        .isEqualTo("ids");
    assertThat(site.get("?status=dead").each("/items", "id")).containsExactly(dead);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"filter\":{}}",
        "{\"filter\":{\"topic\":\"\"}}",
        "{\"filter\":{\"topic\":null}}",
        "{\"filter\":{\"topic\":\"order\",\"from\":\"\"}}",
        "{\"filter\":{\"topic\":\"order\"},\"all\":true}",
        "{\"all\":false}"
      })
  void allAreMeantOnlyIfThatIsSaid(String body) {
    String dead = queue.dead("order", "boom");
    String dry = body.replaceFirst("}$", ",\"dryRun\":true}");
    String why = body.replaceFirst("}$", ",\"reason\":\"test data\"}");

    assertThat(site.post("/dead/replay", body).status()).isEqualTo(400);
    assertThat(site.post("/dead/discard", why).status()).isEqualTo(400);
    assertThat(site.post("/dead/discard", dry).status()).isEqualTo(400);
    assertThat(site.get("?status=dead").each("/items", "id")).containsExactly(dead);
  }

  @Test
  void countsOfASelectionThoseThatAreDead() {
    String dead = queue.dead("order", "boom");
    String body = "{\"ids\":[\"" + dead + "\",\"unknown\"],\"dryRun\":true}";

    assertThat(site.post("/dead/discard", body).value("/count/value")).isEqualTo("1");
    assertThat(site.post("/dead/replay", body).value("/count/value")).isEqualTo("1");
    assertThat(site.get("?status=dead").each("/items", "id")).containsExactly(dead);
  }

  @Test
  void stoppingWhatHasEndedChangesNothing() {
    Reply started = site.post("/dead/replay", "{\"all\":true}");
    end(started.value("/job"));

    Reply stopped = site.post("/jobs/" + started.value("/job") + "/stop", null);

    assertThat(stopped.status()).isEqualTo(200);
    assertThat(stopped.value("/state")).isEqualTo("DONE");
  }

  @Test
  void anUnknownJobIsNotFound() {
    assertThat(site.get("/jobs/0123").status()).isEqualTo(404);
    assertThat(site.post("/jobs/0123/stop", null).status()).isEqualTo(404);
  }

  @Test
  void replaysMessagesOfTheInboxByFilter() {
    queue.receiveDead("shop", "m-1", "boom");
    queue.receiveDead("bank", "m-1", "boom");

    Reply count =
        site.post("/inbox/dead/replay", "{\"filter\":{\"source\":\"shop\"},\"dryRun\":true}");
    Reply started = site.post("/inbox/dead/replay", "{\"filter\":{\"source\":\"shop\"}}");

    assertThat(count.value("/count/value")).isEqualTo("1");
    assertThat(end(started.value("/job")).value("/done")).isEqualTo("1");
    assertThat(site.get("/inbox?status=dead").each("/items", "source")).containsExactly("bank");
  }

  private Reply end(@Nullable String job) {
    await().atMost(LONG).until(() -> !"RUNNING".equals(site.get("/jobs/" + job).value("/state")));
    return site.get("/jobs/" + job);
  }
}
