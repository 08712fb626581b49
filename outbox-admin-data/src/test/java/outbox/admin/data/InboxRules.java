package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.model.MessageId;

/** What operators see of an inbox, and do with it. */
abstract class InboxRules {

  abstract Workshop shop();

  @Test
  void viewsAreThoseOfTheStatus() {
    InboxKey seen = key("seen");
    shop().inbox().alreadyProcessed(seen, null);
    InboxKey marked = key("marked");
    shop().inbox().alreadyProcessed(marked, null);
    shop().inbox().markProcessing(marked);
    InboxKey dead = dead("dead", "broken");
    InboxKey done = key("done");
    enqueue("done");
    shop().inbox().markProcessed(done);
    InboxKey waiting = enqueue("waiting");
    assertThat(keys(InboxQuery.of(InboxView.SEEN))).containsExactly(seen);
    assertThat(keys(InboxQuery.of(InboxView.PROCESSING))).containsExactly(waiting, marked);
    assertThat(keys(InboxQuery.of(InboxView.DONE))).containsExactly(done);
    assertThat(keys(InboxQuery.of(InboxView.DEAD))).containsExactly(dead);
    assertThat(keys(InboxQuery.of(InboxView.ALL)))
        .containsExactlyInAnyOrder(seen, marked, dead, done, waiting);
  }

  @Test
  void messagesAreFilteredBySourceTopicAndError() {
    InboxKey wanted = dead("1", "no route");
    dead("2", "broken");
    shop().inbox().enqueue(InboundMessage.of(new InboxKey("shop", "3"), "other", "{}"));
    shop().inbox().enqueue(InboundMessage.of(new InboxKey("bank", "4"), "order", "{}"));
    InboxQuery query = InboxQuery.of(InboxView.ALL);
    assertThat(keys(query.error("route"))).containsExactly(wanted);
    assertThat(keys(query.source("bank"))).containsExactly(new InboxKey("bank", "4"));
    assertThat(keys(query.topic("other"))).containsExactly(new InboxKey("shop", "3"));
    assertThat(keys(query.topic("' OR 1=1 --"))).isEmpty();
  }

  @Test
  void pagesMeetEveryMessageOnce() {
    for (int i = 0; i < 10; i++) {
      enqueue("m" + i);
    }
    InboxKey marked = key("marked");
    shop().inbox().alreadyProcessed(marked, null);
    shop().inbox().markProcessing(marked);
    InboxQuery query = InboxQuery.of(InboxView.PROCESSING);
    List<InboxKey> walked = new ArrayList<>();
    PageRequest paging = new PageRequest(1, 4, null);
    for (Page<InboxRow> page = list(query.paging(paging)); ; ) {
      page.items().forEach(row -> walked.add(row.key()));
      String next = page.next();
      if (next == null) {
        break;
      }
      page = list(query.paging(paging.cursor(next)));
    }
    assertThat(walked).hasSize(11).doesNotHaveDuplicates().endsWith(marked);
  }

  @Test
  void aMessageShowsItsHistoryAndItsPayloadIfAskedFor() {
    InboxKey key = dead("1", "no route");
    enqueue("1");
    InboxDetail detail = shop().operated().inbox().find(key, true).orElseThrow();
    assertThat(detail.row().status()).isEqualTo(InboxStatus.DEAD);
    assertThat(detail.error()).isEqualTo("no route");
    assertThat(detail.payload().text()).isEqualTo("{}");
    assertThat(detail.timeline())
        .extracting(Moment::what)
        .contains(Moment.What.STORED, Moment.What.SEEN_AGAIN, Moment.What.DIED);
    assertThat(shop().operated().inbox().find(key, false).orElseThrow().payload().kind())
        .isEqualTo(Payload.Kind.HIDDEN);
    assertThat(shop().operated().inbox().find(new InboxKey("shop", "nobody"), true)).isEmpty();
  }

  @Test
  void aMessageWithoutContentHasNoPayloadToShow() {
    InboxKey seen = key("seen");
    shop().inbox().alreadyProcessed(seen, new byte[] {1, 2, 3});
    assertThat(shop().operated().inbox().find(seen, true).orElseThrow().payload().kind())
        .isEqualTo(Payload.Kind.CLEARED);
  }

  @Test
  void deadMessagesAreReplayedAndDiscardedByKey() {
    InboxKey replayed = dead("1", "no route");
    InboxKey discarded = dead("2", "no route");
    assertThat(shop().operated().inbox().replay(replayed, "ann")).isTrue();
    assertThat(shop().operated().inbox().replay(replayed, "ann")).isFalse();
    assertThat(shop().operated().inbox().replay(key("nobody"), "ann")).isFalse();
    assertThat(shop().operated().inbox().discard(discarded, "ann", "test")).isTrue();
    assertThat(keys(InboxQuery.of(InboxView.PROCESSING))).containsExactly(replayed);
    assertThat(keys(InboxQuery.of(InboxView.DONE))).containsExactly(discarded);
    assertThat(keys(InboxQuery.of(InboxView.DEAD))).isEmpty();
  }

  @Test
  void deadMessagesAreReplayedByTheIdOfTheirRow() {
    dead("1", "no route");
    String id = list(InboxQuery.of(InboxView.DEAD)).items().get(0).id();
    assertThat(shop().operated().inbox().deadLetters().replay(new MessageId(id), "ann")).isTrue();
  }

  @Test
  void theSnapshotCountsBySource() {
    enqueue("1");
    dead("2", "no route");
    MetricsSnapshot snapshot = shop().operated().inboxSnapshot();
    assertThat(snapshot.backlog().value()).isEqualTo(1);
    assertThat(snapshot.dead().value()).isEqualTo(1);
    assertThat(snapshot.tenants())
        .singleElement()
        .satisfies(group -> assertThat(group.name()).isEqualTo("shop"));
  }

  private InboxKey enqueue(String id) {
    shop().inbox().enqueue(InboundMessage.of(new InboxKey("shop", id), "order", "{}"));
    return key(id);
  }

  private InboxKey dead(String id, String error) {
    InboxKey key = enqueue(id);
    List<InboxMessage> claimed =
        shop().inboxWork().claim(Workshop.OWNER, Duration.ofMinutes(1), 100).stream()
            .filter(message -> message.key().equals(key))
            .toList();
    shop().inboxWork().fail(Workshop.OWNER, claimed, error);
    return key;
  }

  private static InboxKey key(String id) {
    return new InboxKey("shop", id);
  }

  private Page<InboxRow> list(InboxQuery query) {
    return shop().operated().inbox().list(query);
  }

  private List<InboxKey> keys(InboxQuery query) {
    return list(query).items().stream().map(InboxRow::key).toList();
  }
}
