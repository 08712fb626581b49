package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.admin.Site.Reply;

class InboxApiTest {
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
  void listsMessagesBySourceAndStatus() {
    queue.receiveDead("shop", "m-1", "boom");
    queue.receive("shop", "m-2", "{}");
    queue.receive("bank", "m-1", "{}");

    assertThat(site.get("/inbox").each("/items", "messageId"))
        .containsExactlyInAnyOrder("m-1", "m-2", "m-1");
    assertThat(site.get("/inbox?status=dead").each("/items", "errorSnippet"))
        .containsExactly("boom");
    assertThat(site.get("/inbox?source=bank").each("/items", "messageId")).containsExactly("m-1");
    assertThat(site.get("/inbox?status=processing").each("/items", "status"))
        .containsExactly("PROCESSING", "PROCESSING");
  }

  @Test
  void showsAndReplaysAMessageWhoseIdIsNoFriendOfAddresses() {
    String id = "../a/b?c=d&e#f\\g%2F ü";
    queue.receiveDead("shop/eu", id, "boom");
    String key = "?source=shop%2Feu&messageId=" + URLEncoder.encode(id, UTF_8);

    Reply shown = site.get("/inbox/message" + key);
    Reply replayed = site.post("/inbox/message/replay" + key, null);

    assertThat(shown.value("/messageId")).isEqualTo(id);
    assertThat(shown.value("/error")).isEqualTo("boom");
    assertThat(shown.each("/timeline", "what")).contains("stored", "died");
    assertThat(replayed.text()).isEqualTo("{\"changed\":1}");
    assertThat(site.get("/inbox/message" + key).value("/status")).isEqualTo("PROCESSING");
    assertThat(site.post("/inbox/message/replay" + key, null).text()).isEqualTo("{\"changed\":0}");
  }

  @Test
  void anUnknownMessageIsNotFoundAndAHalfKeyRefused() {
    assertThat(site.get("/inbox/message?source=shop&messageId=none").status()).isEqualTo(404);
    assertThat(site.get("/inbox/message?source=shop").value("/field")).isEqualTo("messageId");
  }
}
