package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.admin.Site.Reply;
import outbox.contracts.support.Spec;

class EventApiTest {
  private Site site;
  private SampleQueue queue;

  @BeforeEach
  void start() {
    site = Site.start(settings -> settings.showPayloads(Role.ADMIN));
    queue = site.queue();
  }

  @AfterEach
  void stop() {
    site.close();
  }

  @Test
  @Spec({"IDEM-52", "IDEM-85"})
  void listsEventsByStatus() {
    String dead = queue.dead("order", "boom");
    String done = queue.done("order");
    String retrying = queue.retrying("order", "again");
    String leased = queue.leased("order");
    String scheduled =
        queue.pending(
            "order", event -> event.dueAt(Instant.now().plusSeconds(3600)).payloadJson("{}"));
    String fresh = queue.pending("order");

    assertThat(ids("")).containsExactlyInAnyOrder(retrying, leased, scheduled, fresh);
    assertThat(ids("?status=pending"))
        .containsExactlyInAnyOrder(retrying, leased, scheduled, fresh);
    assertThat(ids("?status=failed")).containsExactlyInAnyOrder(retrying, dead);
    assertThat(ids("?status=processed")).containsExactly(done);
    assertThat(ids("?status=DEAD")).containsExactly(dead);
    assertThat(ids("?status=leased")).containsExactly(leased);
    assertThat(ids("?status=scheduled")).contains(scheduled).doesNotContain(fresh, leased);
    assertThat(ids("?status=all"))
        .containsExactlyInAnyOrder(dead, done, retrying, leased, scheduled, fresh);
  }

  @Test
  @Spec({"IDEM-53", "IDEM-85"})
  void filtersByTopicTenantCorrelationErrorAndTime() {
    String wanted =
        queue.dead(
            "order",
            "card declined",
            event -> event.tenantId("acme").correlationId("c-1").payloadJson("{}"));
    queue.dead("other", "timeout");

    assertThat(ids("?status=dead&topic=order")).containsExactly(wanted);
    assertThat(ids("?status=dead&tenant=acme")).containsExactly(wanted);
    assertThat(ids("?status=dead&correlation=c-1")).containsExactly(wanted);
    assertThat(ids("?status=dead&error=declined")).containsExactly(wanted);
    assertThat(ids("?status=dead&from=2001-01-01T00:00:00Z&to=2002-01-01T00:00:00Z")).isEmpty();
    assertThat(ids("?status=dead&from=2001-01-01T00:00:00Z")).hasSize(2);
  }

  @Test
  @Spec("IDEM-54")
  void rowsTellWhatIsKnownButNotWhatWasSent() {
    Instant before = Instant.now();
    String id = queue.dead("order", "boom", event -> event.payloadJson("{\"card\":4711}"));

    Reply reply = site.get("?status=dead");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("Content-Type")).hasValue("application/json");
    assertThat(reply.value("/items/0/id")).isEqualTo(id);
    assertThat(reply.value("/items/0/topic")).isEqualTo("order");
    assertThat(reply.value("/items/0/status")).isEqualTo("DEAD");
    assertThat(reply.value("/items/0/errorSnippet")).isEqualTo("boom");
    assertThat(reply.json().at("/items/0/attempts").intValue()).isEqualTo(1);
    assertThat(Instant.parse(reply.value("/items/0/createdAt")))
        .isBetween(before.truncatedTo(ChronoUnit.MILLIS), Instant.now());
    assertThat(reply.json().at("/items/0/processedAt").isNull()).isTrue();
    assertThat(reply.text()).doesNotContain("4711", "payload");
  }

  @Test
  @Spec("IDEM-54")
  void rowsTellWhenTheyWereStoredAndWhenProcessed() {
    queue.done("order");
    site.database()
        .execute(
            "UPDATE outbox_event SET created_at = TIMESTAMP WITH TIME ZONE '2026-01-01 10:00:00+00',"
                + " done_at = TIMESTAMP WITH TIME ZONE '2026-01-01 11:30:00+00'");

    Reply reply = site.get("?status=processed");

    assertThat(reply.value("/items/0/createdAt")).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(reply.value("/items/0/processedAt")).isEqualTo("2026-01-01T11:30:00Z");
    assertThat(reply.json().at("/items/0/attempts").intValue()).isZero();
    assertThat(reply.json().at("/items/0/errorSnippet").isNull()).isTrue();
  }

  @Test
  @Spec("IDEM-52")
  void pagesGoOnByCursorAndByNumber() {
    for (int i = 0; i < 5; i++) {
      queue.pending("order");
    }
    List<String> all = ids("?status=all");

    Reply first = site.get("?status=all&pageSize=2");
    Reply second = site.get("?status=all&pageSize=2&page=2&cursor=" + first.value("/next"));
    Reply third = site.get("?status=all&pageSize=2&page=3");

    assertThat(first.each("/items", "id")).isEqualTo(all.subList(0, 2));
    assertThat(second.each("/items", "id")).isEqualTo(all.subList(2, 4));
    assertThat(second.value("/page")).isEqualTo("2");
    assertThat(second.value("/previous")).isNotNull();
    assertThat(third.each("/items", "id")).isEqualTo(all.subList(4, 5));
    assertThat(third.value("/next")).isNull();
  }

  @Test
  void showsOneEventWithItsTimeLine() {
    String id =
        queue.dead("order", "boom", event -> event.header("trace", "t-1").payloadJson("{}"));

    Reply reply = site.get("/" + id);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.value("/error")).isEqualTo("boom");
    assertThat(reply.value("/headers/trace")).isEqualTo("hidden");
    assertThat(reply.each("/timeline", "what")).contains("stored", "died");
    assertThat(reply.value("/payload/kind")).isEqualTo("hidden");
    assertThat(site.get("/01UNKNOWN").status()).isEqualTo(404);
  }

  @Test
  void anAdminMovesEventsAndASecondCallChangesNothing() {
    String dead = queue.dead("order", "boom");
    String other = queue.dead("order", "boom");
    String pending = queue.pending("order");

    assertThat(site.post("/" + dead + "/replay", null).text()).isEqualTo("{\"changed\":1}");
    assertThat(site.post("/" + dead + "/replay", "{}").text()).isEqualTo("{\"changed\":0}");
    assertThat(site.get("/" + dead).value("/status")).isEqualTo("NEW");
    assertThat(site.post("/" + other + "/discard", "{\"reason\":\"test\"}").text())
        .isEqualTo("{\"changed\":1}");
    assertThat(site.get("/" + other).value("/error")).contains("alan", "test");
    assertThat(site.post("/" + pending + "/defer", "{\"delayMs\":3600000}").text())
        .isEqualTo("{\"changed\":1}");
    assertThat(ids("?status=scheduled")).contains(pending);
    assertThat(site.post("/" + pending + "/release", null).text()).isEqualTo("{\"changed\":1}");
    assertThat(ids("?status=scheduled")).doesNotContain(pending);
  }

  @Test
  void discardingNeedsAReason() {
    String dead = queue.dead("order", "boom");

    Reply reply = site.post("/" + dead + "/discard", "{}");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.value("/field")).isEqualTo("reason");
    assertThat(ids("?status=dead")).containsExactly(dead);
  }

  @Test
  void payloadsAreSeenByThoseOfTheRoleOnly() {
    String text = queue.pending("order", event -> event.payloadJson("{\"a\":\"ü<b>\"}"));
    String bytes = queue.pending("order", event -> event.payloadBytes(new byte[] {1, 2, -1}));

    Reply refused = site.get("/" + text + "?payload=true");
    Reply shown = admin("/" + text + "?payload=true");

    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.text()).doesNotContain("ü");
    assertThat(shown.value("/payload/kind")).isEqualTo("text");
    assertThat(shown.value("/payload/text")).isEqualTo("{\"a\":\"ü<b>\"}");
    assertThat(shown.text()).doesNotContain("<b>");
    assertThat(admin("/" + bytes + "?payload=true").value("/payload/base64")).isEqualTo("AQL/");
  }

  private Reply admin(String path) {
    return site.send(
        site.request("GET", Site.API + path, null).header("Authorization", "Bearer " + Site.ADMIN));
  }

  private List<String> ids(String query) {
    Reply reply = site.get(query);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.each("/items", "id");
  }
}
