package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.admin.Site.Reply;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

class JoinApiTest {
  private Site site;
  private JoinIdentifier join;
  private String step;

  @BeforeEach
  void start() {
    site = Site.start(it -> it.showPayloads(Role.READ));
    var outbox = site.queue().outbox();
    join = outbox.joins().startJoin("customer-1", 3, "{\"why\":\"test\"}");
    step = outbox.joins().enqueueStep(join, EventEnvelope.ofJson("step", "{}")).value();
  }

  @AfterEach
  void stop() {
    site.close();
  }

  @Test
  void listsJoinsByStatusAndGroupingKey() {
    assertThat(site.get("/joins").each("/items", "id")).containsExactly(join.value());
    assertThat(site.get("/joins?status=pending&groupingKey=customer-1").each("/items", "expected"))
        .containsExactly("3");
    assertThat(site.get("/joins?status=completed").each("/items", "id")).isEmpty();
    assertThat(site.get("/joins?groupingKey=nobody").each("/items", "id")).isEmpty();
  }

  @Test
  void showsMembersMissingStepsAndThoseNotAttachedYet() {
    Reply reply = site.get("/joins/" + join.value());

    assertThat(reply.value("/status")).isEqualTo("PENDING");
    assertThat(reply.value("/missing/0")).isEqualTo(step);
    assertThat(reply.value("/members/0/message/topic")).isEqualTo("step");
    assertThat(reply.value("/unattached")).isEqualTo("2");
    assertThat(reply.value("/metadata")).isEqualTo("{\"why\":\"test\"}");
  }

  @Test
  void aStepThatFailedShowsWhenItDied() {
    site.queue().outbox().fail(site.queue().claim(step), List.of(new MessageId(step)), "broken");

    Reply reply = site.get("/joins/" + join.value());

    assertThat(reply.value("/members/0/status")).isEqualTo("FAILED");
    assertThat(Instant.parse(reply.value("/members/0/endedAt")))
        .isBetween(Instant.parse(reply.value("/createdAt")), Instant.now().plusSeconds(60));
  }

  @Test
  void cancelsAPendingJoinOnce() {
    String path = "/joins/" + join.value() + "/cancel";

    assertThat(site.post(path, null).text()).isEqualTo("{\"changed\":1}");
    assertThat(site.post(path, null).text()).isEqualTo("{\"changed\":0}");
    assertThat(site.get("/joins/" + join.value()).value("/status")).isEqualTo("CANCELLED");
    assertThat(site.post("/joins/unknown/cancel", null).status()).isEqualTo(404);
  }
}
