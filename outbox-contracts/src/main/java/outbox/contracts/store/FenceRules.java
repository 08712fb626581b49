package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.RowState;

/** Who may change an event, and what a transition reports. */
interface FenceRules extends StoreUnderTest {

  @Test
  @Spec({"OBX-024", "OBX-025", "OBX-032", "OBX-033", "OBX-038", "OBX-039"})
  default void noTransitionTouchesWhatAnotherOwns() {
    insert("a");
    claim("me");
    EventStoreContract.Row before = stored("a");

    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "other", "a")).as("%s", transition).isEmpty();
      assertThat(stored("a")).as("after %s", transition).isEqualTo(before);
    }
  }

  @Test
  default void noTransitionTouchesWhatIsNotLeased() {
    insert("a");
    EventStoreContract.Row before = stored("a");

    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "me", "a")).as("%s", transition).isEmpty();
      assertThat(stored("a")).as("after %s", transition).isEqualTo(before);
    }
  }

  @Test
  default void everyTransitionIsGoodAfterTheLeaseUntilTheEventIsTaken() {
    for (Transition transition : Transition.values()) {
      insert(transition.name());
    }
    claim("me");
    advance(PAST_LEASE);

    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "me", transition.name()))
          .as("%s", transition)
          .containsExactly(transition.name());
    }
  }

  @Test
  @Spec("OBX-024")
  default void everyTransitionIsRefusedOnceAnotherTookTheEvent() {
    insert("a");
    claim("me");
    advance(PAST_LEASE);
    claim("other");
    EventStoreContract.Row before = stored("a");

    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "me", "a")).as("%s", transition).isEmpty();
      assertThat(stored("a")).as("after %s", transition).isEqualTo(before);
    }
  }

  @Test
  default void everyTransitionIsRefusedOnceTheEventWasReaped() {
    insert("a");
    claim("me");
    advance(PAST_LEASE);
    assertThat(reap(Duration.ZERO, 10)).isEqualTo(1);

    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "me", "a")).as("%s", transition).isEmpty();
    }
    assertThat(claimIds("other")).containsExactly("a");
  }

  @Test
  default void nothingChangesAnEventThatHasEnded() {
    insert("done", "dead");
    claim("me");
    ack("me", "done");
    fail("me", new Failure("dead", Duration.ZERO, "broken"));
    EventStoreContract.Row done = stored("done");
    EventStoreContract.Row dead = stored("dead");

    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "me", "done", "dead")).as("%s", transition).isEmpty();
    }
    assertThat(stored("done")).isEqualTo(done);
    assertThat(stored("dead")).isEqualTo(dead);
  }

  @Test
  @Spec({"OBX-025", "OBX-033", "OBX-039", "IBXU-03"})
  default void reportsWhatReallyChangedAndIgnoresTheRest() {
    for (Transition transition : Transition.values()) {
      String name = transition.name();
      insert(name + 1, name + 2, name + "theirs");
      claimById("me", name + 1, name + 2);
      claimById("other", name + "theirs");

      assertThat(
              transition.apply(
                  this, "me", name + 1, name + "theirs", "unknown", name + 1, name + 2))
          .as("%s", transition)
          .containsExactlyInAnyOrder(name + 1, name + 2);
    }
  }

  @Test
  default void noIdsAreNoWork() {
    for (Transition transition : Transition.values()) {
      assertThat(transition.apply(this, "me")).as("%s", transition).isEmpty();
    }
    assertThat(claimById("me")).isEmpty();
    assertThat(inspect(List.of())).isEmpty();
  }

  @Test
  default void aThousandEventsChangeInOneCall() {
    List<String> ids = IntStream.range(0, 1_000).mapToObj(i -> "event-" + i).toList();
    String[] array = ids.toArray(String[]::new);
    insertTogether(ids);
    claim(request("me", 1_000));

    for (Transition transition : List.of(Transition.RENEW, Transition.MARK_STARTED)) {
      assertThat(transition.apply(this, "me", array)).as("%s", transition).hasSize(1_000);
    }
    assertThat(inspect(ids)).hasSize(1_000);
    assertThat(abandon("me", failures(ids.subList(0, 500)))).hasSize(500);
    assertThat(ack("me", array)).containsExactlyInAnyOrderElementsOf(ids.subList(500, 1_000));
    assertThat(stored("event-7").lastError()).isEqualTo("error of event-7");
    assertThat(stored("event-9").availableAt())
        .isAfter(stored("event-8").availableAt().plusMillis(500));
  }

  @Test
  default void inspectShowsWhereEachEventStands() {
    insert("free", "held", "done", "dead");
    claimById("me", "held", "done", "dead");
    ack("me", "done");
    fail("me", new Failure("dead", Duration.ZERO, "broken"));

    Map<String, RowState> states = inspect(List.of("free", "held", "done", "dead", "unknown"));

    assertThat(states).containsOnlyKeys("free", "held", "done", "dead");
    assertThat(states.get("free")).isEqualTo(new RowState(EventStatus.NEW, null, null, 0));
    assertThat(states.get("held")).isEqualTo(new RowState(EventStatus.NEW, "me", null, 0));
    assertThat(states.get("done")).isEqualTo(new RowState(EventStatus.DONE, null, "me", 0));
    assertThat(states.get("dead"))
        .satisfies(state -> assertThat(state.status()).isEqualTo(EventStatus.DEAD))
        .satisfies(state -> assertThat(state.owner()).isNull());
  }

  private static Failure[] failures(List<String> ids) {
    List<Failure> failures = new ArrayList<>();
    for (String id : ids) {
      failures.add(new Failure(id, Duration.ofSeconds(failures.size()), "error of " + id));
    }
    return failures.toArray(Failure[]::new);
  }

  /** Each method that changes leased events. */
  enum Transition {
    RENEW,
    MARK_STARTED,
    DEFER,
    ABANDON,
    FAIL,
    ACK;

    Collection<String> apply(StoreUnderTest test, String owner, String... ids) {
      Failure[] failures =
          List.of(ids).stream()
              .map(id -> new Failure(id, Duration.ZERO, "broken"))
              .toArray(Failure[]::new);
      return switch (this) {
        case RENEW -> test.renew(owner, ids);
        case MARK_STARTED -> test.markStarted(owner, ids);
        case DEFER -> test.defer(owner, Duration.ofSeconds(1), ids);
        case ABANDON -> test.abandon(owner, failures);
        case FAIL -> test.fail(owner, failures);
        case ACK -> test.ack(owner, ids);
      };
    }
  }
}
