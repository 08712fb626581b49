package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.join.JoinCoordinator;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** Counters are exact: in batches, in several joins, under concurrency. */
interface JoinTallyRules extends JoinsUnderTest {

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
    JoinIdentifier exact = joinOf(1, "e");

    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      complete("e");
      assertCounts(exact, 1, 0, JoinStatus.COMPLETED);
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
  @Spec("JOIN-022")
  default void theFirstEndOfAStepWins() {
    JoinIdentifier join = joinOf(3, "a", "b", "c");

    joins().reportStepCompleted(join, new MessageId("a"));
    joins().reportStepFailed(join, new MessageId("a"));
    joins().reportStepFailed(join, new MessageId("b"));
    complete("a", "b");

    assertThat(step(join, "a")).isEqualTo(StepStatus.COMPLETED);
    assertThat(step(join, "b")).isEqualTo(StepStatus.FAILED);
    assertCounts(join, 1, 1, JoinStatus.PENDING);
  }

  @Test
  default void aLargeJoinEndsInBatches() {
    List<String> ids = IntStream.range(0, 1_200).mapToObj(i -> "step-" + i).toList();
    JoinIdentifier join = joins().startJoin(null, ids.size(), null);
    ids.forEach(this::enqueue);
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
}
