package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

  @Test
  void headersAndMetadataOfJoinsAreHiddenFromThoseWhoSeeNoPayloads() {
    try (Site site = Site.start(it -> it.showPayloads(Role.ADMIN))) {
      Sent sent = Sent.through(site.queue());

      for (String path : sent.paths()) {
        assertThat(site.get(path).text()).as(path).contains("\"hidden\"").doesNotContain("4711");
        Reply toAdmin =
            site.send(
                site.request("GET", Site.API + path, null)
                    .header("Authorization", "Bearer " + Site.ADMIN));
        assertThat(toAdmin.text()).as(path).contains("4711");
      }
    }
  }

  @Test
  void headersAndMetadataAreHiddenUnlessAllowed() {
    try (Site site = Site.start()) {
      for (String path : Sent.through(site.queue()).paths()) {
        Reply toAdmin =
            site.send(
                site.request("GET", Site.API + path, null)
                    .header("Authorization", "Bearer " + Site.ADMIN));
        assertThat(toAdmin.text()).as(path).contains("\"hidden\"").doesNotContain("4711");
      }
    }
  }

  @Test
  void whatIsTakenOutOfPayloadsIsTakenOutOfHeadersAndMetadataToo() {
    try (Site site = site((topic, payload) -> payload.replace("4711", "****"))) {
      for (String path : Sent.through(site.queue()).paths()) {
        assertThat(site.get(path).text()).as(path).contains("****").doesNotContain("4711");
      }
    }
  }

  @Test
  void whereRedactionFailsNeitherHeadersNorMetadataAreShown() {
    Redaction failing =
        (topic, payload) -> {
          throw new IllegalStateException("cannot read " + payload);
        };
    try (Site site = site(failing)) {
      for (String path : Sent.through(site.queue()).paths()) {
        assertThat(site.get(path).text()).as(path).contains("\"hidden\"").doesNotContain("4711");
      }
    }
  }

  /** Messages and a join that carry 4711 outside their payloads. */
  private record Sent(List<String> paths) {
    static Sent through(SampleQueue queue) {
      String event = queue.pending("order", it -> it.payloadJson("{}").header("card", "card 4711"));
      String join = queue.outbox().joins().startJoin("customer", 1, "{\"card\":4711}").value();
      return new Sent(List.of("/" + event, "/joins/" + join));
    }
  }

  private static Site site(Redaction redaction) {
    return Site.start(settings -> settings.showPayloads(Role.READ).redaction(redaction));
  }
}
