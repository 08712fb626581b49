package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;

/** Steps whose message has ended before it was attached, or is gone. */
interface JoinLateRules extends JoinsUnderTest {

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
  @Spec({"JOIN-020", "JOIN-021"})
  default void aStepWhoseMessageIsGoneCanBeReported() {
    JoinIdentifier join = joinOf(2, "a", "b");
    delete("a");
    delete("b");

    joins().reportStepCompleted(join, new MessageId("a"));
    joins().reportStepFailed(join, new MessageId("b"));

    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }
}
