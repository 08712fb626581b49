package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.join.JoinCoordinator;
import outbox.model.EventStatus;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;
import outbox.spi.LeasedEventStore;

/** The ends of messages are counted in their joins, exactly and with the transition. */
interface JoinCountRules extends JoinsUnderTest {

  @Test
  @Spec({"JOIN-030", "JOIN-040", "JOIN-041", "OBX-027", "OBX-083"})
  default void acknowledgedMessagesCompleteTheirJoin() {
    JoinIdentifier join = joinOf(2, "a", "b");

    complete("a");
    assertCounts(join, 1, 0, JoinStatus.PENDING);
    complete("b");

    assertCounts(join, 2, 0, JoinStatus.COMPLETED);
    assertThat(stored(join).isComplete()).isTrue();
    assertThat(joins().missingSteps(join)).isEmpty();
  }

  @Test
  @Spec({"JOIN-031", "JOIN-041", "OBX-040", "OBX-083", "OBX-086"})
  default void oneFailedMessageFailsTheJoinOnceAllHaveEnded() {
    JoinIdentifier join = joinOf(2, "a", "b");

    kill("a");
    assertCounts(join, 0, 1, JoinStatus.PENDING);
    complete("b");

    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-030", "JOIN-031"})
  default void everyWayToAnEndCounts() {
    JoinIdentifier join = joinOf(4, "acked", "failed", "marked-done", "marked-dead");

    complete("acked");
    kill("failed");
    call(connection -> events().markDone(connection, "marked-done"));
    call(connection -> events().markDead(connection, "marked-dead", "broken"));

    assertCounts(join, 2, 2, JoinStatus.FAILED);
  }

  @Test
  @Spec("JOIN-031")
  default void aMessageThatExpiredCountsAsFailed() {
    EventEnvelope late =
        EventEnvelope.builder("Step")
            .eventId("late")
            .payloadJson("{}")
            .expiresAt(now().minusSeconds(60))
            .build();
    call(
        connection -> {
          events().insert(connection, late, null);
          return late;
        });
    JoinIdentifier join = joins().startJoin(null, 1, null);
    joins().attach(join, new MessageId("late"));

    assertThat(claim("late")).isEmpty();

    assertCounts(join, 0, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec({"JOIN-030", "JOIN-031"})
  default void whatIsNoEndCountsNothing() {
    JoinIdentifier join = joinOf(1, "a");

    claim("a");
    call(connection -> events().abandon(connection, ME, failures(List.of("a"))));
    claim("a");
    call(connection -> events().defer(connection, ME, List.of("a"), Duration.ZERO));

    assertCounts(join, 0, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec("JOIN-032")
  default void whatATransitionDidNotMatchIsNotCounted() {
    JoinIdentifier join = joinOf(3, "mine", "free", "theirs");
    claim("mine");
    call(connection -> events().claimById(connection, "other", LEASE, List.of("theirs")));

    assertThat(ack("mine", "free", "theirs", "unknown")).containsExactly("mine");
    assertThat(ack("mine")).isEmpty();
    assertThat(fail("mine", "free", "theirs")).isEmpty();

    assertCounts(join, 1, 0, JoinStatus.PENDING);
    assertThat(step(join, "free")).isEqualTo(StepStatus.PENDING);
    assertThat(step(join, "theirs")).isEqualTo(StepStatus.PENDING);
  }

  @Test
  @Spec({"JOIN-032", "OBX-028", "OBX-041"})
  default void transitionAndCountAreOneTransaction() throws SQLException {
    JoinIdentifier join = joinOf(2, "a", "b");
    claim("a", "b");
    try (Connection connection = beginTransaction()) {
      events().ack(connection, ME, List.of("a"));
      events().fail(connection, ME, failures(List.of("b")));
      connection.rollback();
    }
    assertCounts(join, 0, 0, JoinStatus.PENDING);
    assertThat(step(join, "a")).isEqualTo(StepStatus.PENDING);

    try (Connection connection = beginTransaction()) {
      events().ack(connection, ME, List.of("a"));
      assertCounts(join, 0, 0, JoinStatus.PENDING);
      connection.commit();
    }
    assertCounts(join, 1, 0, JoinStatus.PENDING);
  }

  @Test
  @Spec({"JOIN-030", "OBX-027"})
  default void twoStepsOfOneJoinInOneBatchCountTwo() {
    JoinIdentifier join = joinOf(5, "a", "b", "c", "d", "e");

    complete("a", "b");
    kill("c", "d");

    assertCounts(join, 2, 2, JoinStatus.PENDING);
  }

  @Test
  @Spec({"JOIN-023", "JOIN-042"})
  default void noMoreThanExpectedIsCounted() {
    JoinIdentifier join = joinOf(2, "a", "b", "c", "d");

    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      complete("a", "b", "c");

      assertThat(log.warnings())
          .singleElement()
          .asString()
          .contains("join=" + join)
          .contains("expected=2")
          .contains("more=1");
    }
    Join ended = stored(join);
    kill("d");

    assertCounts(join, 2, 0, JoinStatus.COMPLETED);
    assertThat(stored(join)).isEqualTo(ended);
    assertThat(joins().missingSteps(join)).isEmpty();
  }

  @Test
  @Spec({"JOIN-080", "JOIN-081", "OBX-090", "OBX-027", "OBX-040"})
  default void aMessageCountsInEachOfItsJoins() {
    JoinIdentifier first = joinOf(2, "a", "b");
    JoinIdentifier second = joinOf(2, "c");
    joins().attach(second, new MessageId("a"));
    JoinIdentifier third = joins().startJoin(null, 3, null);
    joins().attachAll(third, List.of(new MessageId("a"), new MessageId("b"), new MessageId("c")));

    complete("a");
    kill("b", "c");

    assertCounts(first, 1, 1, JoinStatus.FAILED);
    assertCounts(second, 1, 1, JoinStatus.FAILED);
    assertCounts(third, 1, 2, JoinStatus.FAILED);
  }

  @Test
  @Spec("JOIN-034")
  default void reportingByHandComesToTheSame() {
    JoinIdentifier automatic = joinOf(2, "a", "b");
    JoinIdentifier manual = joinOf(2, "c", "d");
    MessageId automaticWait = waitFor(automatic);
    MessageId manualWait = waitFor(manual);

    complete("a");
    kill("b");
    joins().reportStepCompleted(manual, new MessageId("c"));
    joins().reportStepFailed(manual, new MessageId("d"));

    assertCounts(automatic, 1, 1, JoinStatus.FAILED);
    assertCounts(manual, 1, 1, JoinStatus.FAILED);
    assertThat(isDue(automaticWait)).isTrue();
    assertThat(isDue(manualWait)).isTrue();
  }

  @Test
  default void attachingAMessageThatHasEndedCountsItAtOnce() {
    enqueue("done");
    enqueue("dead");
    complete("done");
    kill("dead");
    JoinIdentifier join = joins().startJoin(null, 2, null);
    MessageId waiting = waitFor(join);

    joins().attachAll(join, List.of(new MessageId("done"), new MessageId("dead")));

    assertCounts(join, 1, 1, JoinStatus.FAILED);
    assertThat(step(join, "done")).isEqualTo(StepStatus.COMPLETED);
    assertThat(step(join, "dead")).isEqualTo(StepStatus.FAILED);
    assertThat(isDue(waiting)).isTrue();
  }

  @Test
  default void attachWaitsForATransitionUnderWayAndThenCounts() throws Exception {
    MessageId message = enqueue("a");
    JoinIdentifier join = joins().startJoin(null, 1, null);
    claim("a");
    try (Connection connection = beginTransaction()) {
      events().ack(connection, ME, List.of("a"));
      Thread attaching = new Thread(() -> joins().attach(join, message));
      attaching.start();
      attaching.join(200);
      assertThat(attaching.isAlive()).isTrue();
      connection.commit();
      attaching.join();
    }
    assertCounts(join, 1, 0, JoinStatus.COMPLETED);
  }

  @Test
  default void messagesArePurgedWithoutTheirJoins() {
    JoinIdentifier join = joinOf(2, "a", "b");
    complete("a");

    delete("a");

    assertThat(joins().steps(join)).hasSize(2);
    assertCounts(join, 1, 0, JoinStatus.PENDING);
    complete("b");
    assertCounts(join, 2, 0, JoinStatus.COMPLETED);
  }

  @Test
  default void aLargeJoinEndsInBatches() {
    List<String> ids = IntStream.range(0, 1_200).mapToObj(i -> "step-" + i).toList();
    JoinIdentifier join = joins().startJoin(null, ids.size(), null);
    call(
        connection -> {
          ids.forEach(this::enqueue);
          return ids;
        });
    joins().attachAll(join, ids.stream().map(MessageId::new).toList());

    complete(ids.toArray(String[]::new));

    assertCounts(join, 1_200, 0, JoinStatus.COMPLETED);
  }

  @Test
  @Spec({"JOIN-023", "JOIN-060", "JOIN-061"})
  default void countersAreExactWhileManyWorkersEndSharedMessages() throws Exception {
    int workers = 4;
    int each = 30;
    List<String> ids = IntStream.range(0, workers * each).mapToObj(i -> "m" + i).toList();
    ids.forEach(this::enqueue);
    List<JoinIdentifier> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      JoinIdentifier join = joins().startJoin(null, ids.size(), null);
      joins().attachAll(join, ids.stream().map(MessageId::new).toList());
      all.add(join);
    }
    claim(ids.toArray(String[]::new));

    List<Callable<Boolean>> tasks = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      List<String> mine = ids.subList(worker * each, (worker + 1) * each);
      tasks.add(
          () -> {
            for (int i = 0; i < mine.size(); i += 3) {
              assertThat(ack(mine.get(i), mine.get(i + 1))).hasSize(2);
              assertThat(fail(mine.get(i + 2))).hasSize(1);
            }
            return true;
          });
    }
    concurrently(tasks);

    for (JoinIdentifier join : all) {
      assertCounts(join, 80, 40, JoinStatus.FAILED);
    }
  }

  @Test
  @Spec("JOIN-072")
  default void theEndOfAJoinIsLogged() {
    JoinIdentifier join = joinOf(1, "a");
    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      kill("a");

      assertThat(log.all())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("INFO")
                      .contains("join=" + join)
                      .contains("status=FAILED")
                      .contains("failed=1"));
    }
  }

  @Test
  @Spec({"JOIN-070", "JOIN-071"})
  default void startAndAttachAreLogged() {
    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      JoinIdentifier join = joins().startJoin("customer-7", 3, "secret metadata");
      joins().attach(join, enqueue("a"));

      assertThat(log.all())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("INFO")
                      .contains("join=" + join)
                      .contains("groupingKey=customer-7")
                      .contains("expectedSteps=3"))
          .anySatisfy(
              line -> assertThat(line).contains("FINE").contains("join=" + join).contains("[a]"))
          .noneSatisfy(line -> assertThat(line).contains("secret"));
    }
  }

  @Test
  default void aHookThatThrowsLeavesTheMessageAsItWas() {
    enqueue("a");
    claim("a");
    assertThatThrownBy(() -> call(connection -> broken().ack(connection, ME, List.of("a"))))
        .isInstanceOf(IllegalStateException.class);
    assertThat(message(new MessageId("a")).status()).isEqualTo(EventStatus.NEW);
  }

  /** The events, with a hook that throws an IllegalStateException. */
  LeasedEventStore broken();

  @Test
  default void aReplayedStepDoesNotCountTwice() {
    JoinIdentifier join = joinOf(2, "a", "b");
    kill("a");
    assertCounts(join, 0, 1, JoinStatus.PENDING);

    assertThat(replay("a")).containsExactly("a");
    complete("a");
    assertCounts(join, 0, 1, JoinStatus.PENDING);
    kill("b");
    assertThat(replay("b")).containsExactly("b");
    kill("b");

    assertCounts(join, 0, 2, JoinStatus.FAILED);
    assertThat(step(join, "a")).isEqualTo(StepStatus.FAILED);
  }

  @Test
  @Spec("JOINU-06")
  default void aPurgeOfMessagesLeavesTheStepsOfJoins() {
    JoinIdentifier join = joinOf(3, "a", "b", "c");
    complete("a");
    kill("b");
    advance(Duration.ofDays(10));

    int done = call(c -> events().purgeDone(c, Duration.ofDays(7), 100));
    int dead = call(c -> events().purgeDead(c, Duration.ofDays(7), 100));

    assertThat(List.of(done, dead)).containsExactly(1, 1);

    assertThat(row("a")).isEmpty();
    assertThat(joins().steps(join)).hasSize(3);
    complete("c");
    assertCounts(join, 2, 1, JoinStatus.FAILED);
  }

  private Set<String> replay(String eventId) {
    return call(c -> events().replay(c, List.of(eventId), "alice", null));
  }
}
