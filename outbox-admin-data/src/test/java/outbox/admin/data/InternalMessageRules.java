package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.admin.metrics.Count;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.join.JoinCoordinator;
import outbox.metrics.Activity;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/** Where operators see the messages that the library sends to itself, and where they do not. */
abstract class InternalMessageRules {

  abstract Workshop shop();

  @Test
  void aJoinThatWaitsTurnsNothingUnhealthy() {
    startWait();
    shop().database().execute("UPDATE outbox_event SET created_at = " + shop().minutesAgo(20));
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.oldestAge()).isZero();
    assertThat(Health.of(snapshot, HealthThresholds.DEFAULT)).isEqualTo(Health.GOOD);
  }

  @Test
  void waitsOfJoinsAreInNoFigure() {
    startWait();
    shop().taken(startWait());
    shop().retried(startWait(), "no such join", Duration.ZERO);
    shop().retried(startWait(), "no such join", Duration.ofDays(1));
    String done = shop().taken(startWait());
    shop().outbox().ack(Workshop.OWNER, List.of(new MessageId(done)));
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.failedPending()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.leased()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.scheduled()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.activity()).isEqualTo(new Activity(OperatedDatabase.DEFAULT_WINDOW, 0, 0));
    assertThat(snapshot.topics()).isEmpty();
    assertThat(snapshot.tenants()).isEmpty();
    assertThat(shop().operated().events().nodes()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(EventView.class)
  void waitsOfJoinsAreListedOnlyIfAskedFor(EventView view) {
    String wait =
        switch (view) {
          case PROCESSED -> done(startWait());
          case LEASED -> shop().taken(startWait());
          case FAILED -> shop().retried(startWait(), "broken", Duration.ZERO);
          case SCHEDULED -> shop().retried(startWait(), "broken", Duration.ofDays(1));
          case DEAD -> died(startWait());
          case PENDING, ALL -> startWait();
        };
    EventQuery query = EventQuery.of(view);
    List<String> asked = ids(query.topic(JoinCoordinator.DEFAULT_WAIT_TOPIC));
    assertThat(asked).containsExactly(wait);
    if (view == EventView.DEAD) {
      assertThat(ids(query)).containsExactly(wait);
    } else {
      assertThat(ids(query)).isEmpty();
    }
    assertThat(shop().operated().events().find(wait, false)).isPresent();
  }

  /** The continuation of its join will not come: an operator must know. */
  @Test
  void aWaitThatDiedIsADeadLetter() {
    String wait = died(startWait());
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.dead()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.topics())
        .singleElement()
        .satisfies(topic -> assertThat(topic.dead()).isEqualTo(Count.exactly(1)));
    assertThat(ids(EventQuery.of(EventView.ALL))).containsExactly(wait);
  }

  @Test
  void pagesAreFullHoweverManyWaitsAreBetweenTheirEvents() {
    for (int i = 0; i < 9; i++) {
      shop().pending("A");
      startWait();
    }
    for (EventView view : List.of(EventView.PENDING, EventView.ALL)) {
      EventQuery query = EventQuery.of(view);
      PageRequest paging = new PageRequest(1, 4, null);
      Page<EventRow> first = shop().operated().events().list(query.paging(paging));
      assertThat(first.items()).hasSize(4).allMatch(row -> row.topic().equals("A"));
      Page<EventRow> third =
          shop().operated().events().list(query.paging(new PageRequest(3, 4, null)));
      assertThat(third.items()).hasSize(1);
      assertThat(third.next()).isNull();
    }
  }

  @Test
  void waitsOfAnotherTopicAreInternalIfThatIsSaid() {
    shop().pending("fan.in");
    OperatedDatabase named =
        OperatedDatabase.builder("orders", shop().database().dataSource())
            .waitTopic("fan.in")
            .build();
    assertThat(named.snapshot().backlog()).isEqualTo(Count.exactly(0));
    assertThat(shop().operated().snapshot().backlog()).isEqualTo(Count.exactly(1));
  }

  private String startWait() {
    JoinIdentifier join = shop().outbox().joins().startJoin("a", 1, null, null);
    return shop().outbox().joins().enqueueJoinWait(join, true, "next", "{}", null, null).value();
  }

  private String done(String id) {
    shop().outbox().ack(Workshop.OWNER, List.of(new MessageId(shop().taken(id))));
    return id;
  }

  private String died(String id) {
    shop().outbox().fail(Workshop.OWNER, List.of(new MessageId(shop().taken(id))), "broken");
    return id;
  }

  private List<String> ids(EventQuery query) {
    return shop().operated().events().list(query).items().stream().map(EventRow::id).toList();
  }
}
