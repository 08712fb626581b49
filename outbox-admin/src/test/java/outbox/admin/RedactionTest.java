package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.admin.Site.Reply;

class RedactionTest {

  @Test
  void whatIsTakenOutIsNotShown() {
    try (Site site = site((topic, payload) -> payload.replaceAll("\\d{4}", "****"))) {
      String id = site.queue().pending("order", event -> event.payloadJson("{\"card\":\"4711\"}"));

      Reply reply = site.get("/" + id + "?payload=true");

      assertThat(reply.value("/payload/text")).isEqualTo("{\"card\":\"****\"}");
      assertThat(reply.text()).doesNotContain("4711");
    }
  }

  @Test
  void whereRedactionFailsOrKnowsNoBytesNothingIsShown() {
    Redaction failing =
        (topic, payload) -> {
          throw new IllegalStateException("cannot read " + payload);
        };
    try (Site site = site(failing)) {
      String text = site.queue().pending("order", event -> event.payloadJson("4711"));
      String bytes = site.queue().pending("order", event -> event.payloadBytes(new byte[] {1}));

      assertThat(site.get("/" + text + "?payload=true").value("/payload/kind")).isEqualTo("hidden");
      assertThat(site.get("/" + bytes + "?payload=true").value("/payload/kind"))
          .isEqualTo("hidden");
      assertThat(site.get("/" + text + "?payload=true").text()).doesNotContain("4711");
    }
  }

  private static Site site(Redaction redaction) {
    return Site.start(settings -> settings.showPayloads(Role.READ).redaction(redaction));
  }
}
