package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.contracts.support.Spec;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.OutboxEvent;
import outbox.model.StepStatus;

/** The operations of joins that the outbox itself has. */
interface JoinOutboxRules extends JoinsUnderTest {

  @Test
  @Spec({"OBX-074", "OBX-075", "OBX-076", "OBX-077", "OBX-078", "OBX-089", "OBXU-07"})
  default void theOutboxStartsJoinsAndAttachesWhatItEnqueued() {
    JoinIdentifier join = outbox().joins().startJoin(4711L, 2, "{\"phase\":1}");
    MessageId message = outbox().enqueue("Step", "{}").id();

    outbox().joins().attach(join, message);
    outbox().joins().attach(join, message);

    Join started = stored(join);
    assertThat(started.groupingKey()).isEqualTo("4711");
    assertThat(started.metadata()).isEqualTo("{\"phase\":1}");
    assertThat(started.expectedSteps()).isEqualTo(2);
    assertCounts(join, 0, 0, JoinStatus.PENDING);
    assertThat(outbox().joins().startJoin("4711", 2, null)).isNotEqualTo(join);
    assertThat(joins().steps(join)).hasSize(1);
    assertThat(step(join, message.value())).isEqualTo(StepStatus.PENDING);
  }

  @Test
  @Spec({"OBX-079", "OBX-080", "OBX-081", "OBX-082"})
  default void theOutboxReportsStepsOnce() {
    JoinIdentifier join = joinOf(2, "a", "b");

    outbox().joins().reportStepCompleted(join, new MessageId("a"));
    outbox().joins().reportStepCompleted(join, new MessageId("a"));
    assertCounts(join, 1, 0, JoinStatus.PENDING);
    outbox().joins().reportStepFailed(join, new MessageId("b"));
    outbox().joins().reportStepFailed(join, new MessageId("b"));

    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }

  @Test
  @Spec("OBXU-07")
  default void theOutboxWaitsForAJoin() throws SQLException {
    JoinIdentifier good = joinOf(1, "a");
    JoinIdentifier bad = joinOf(1, "b");
    JoinIdentifier tolerated = joinOf(1, "c");
    List<MessageId> waits =
        List.of(
            outbox().joins().enqueueJoinWait(good, true, "next", "1", "alas", "2"),
            outbox().joins().enqueueJoinWait(bad, true, "next", "3", "alas", "4"),
            outbox().joins().enqueueJoinWait(tolerated, false, "next", "5", "alas", "6"));
    complete("a");
    kill("b", "c");

    for (MessageId waiting : waits) {
      deliver(waiting);
    }

    assertThat(claimDue())
        .extracting(OutboxEvent::eventType, OutboxEvent::payloadJson)
        .containsExactlyInAnyOrder(tuple("next", "1"), tuple("alas", "4"), tuple("next", "5"));
  }

  @Test
  @Spec("OBXU-09")
  default void aWaitWithoutAContinuationAfterAFailureEndsQuietly() throws SQLException {
    JoinIdentifier good = joinOf(1, "a");
    JoinIdentifier bad = joinOf(1, "b");
    MessageId first = outbox().joins().enqueueJoinWait(good, true, "next", "{}");
    MessageId second = joins().enqueueJoinWait(bad, true, "next", "{}");
    complete("a");
    kill("b");

    deliver(first);
    deliver(second);

    assertThat(claimDue("next")).hasSize(1);
    assertDone(second);
  }

  @Test
  default void aMessageIsEnqueuedAsAStepOrNotAtAll() throws SQLException {
    JoinIdentifier join = outbox().joins().startJoin("any", 2, null);
    EventEnvelope kept = EventEnvelope.ofJson("Step", "{}");
    EventEnvelope rolledBack = EventEnvelope.ofJson("Step", "{}");
    EventEnvelope refused = EventEnvelope.ofJson("Step", "{}");

    assertThat(outbox().joins().enqueueStep(join, kept).value()).isEqualTo(kept.eventId());
    try (Connection connection = beginTransaction()) {
      outbox().joins().in(connection).enqueueStep(join, rolledBack);
      connection.rollback();
    }
    assertThatThrownBy(() -> outbox().joins().enqueueStep(new JoinIdentifier("nowhere"), refused))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("join nowhere does not exist");

    assertThat(joins().steps(join))
        .singleElement()
        .satisfies(step -> assertThat(step.messageId().value()).isEqualTo(kept.eventId()));
    assertThat(row(rolledBack.eventId())).isEmpty();
    assertThat(row(refused.eventId())).isEmpty();
    complete(kept.eventId());
    assertCounts(join, 1, 0, JoinStatus.PENDING);
  }

  @Test
  default void anOutboxWithoutJoinsSaysSo() {
    Outbox plain = OutboxBuilder.of(this::open, events()).build();
    EventEnvelope message = EventEnvelope.ofJson("Step", "{}");

    assertThatThrownBy(() -> plain.joins().startJoin("any", 1, null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("joins(");
    assertThatThrownBy(() -> plain.joins().enqueueStep(new JoinIdentifier("any"), message))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("joins(");
    assertThat(row(message.eventId())).isEmpty();
    plain.enqueue(message);
    assertThat(row(message.eventId())).isPresent();
  }

  @Test
  default void aConnectionWithoutATransactionIsRefused() {
    JoinIdentifier join = joinOf(1, "a");

    call(
        connection ->
            assertThatThrownBy(
                    () ->
                        joins().in(connection).enqueueJoinWait(join, true, "next", "", null, null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("auto-commit"));

    assertThat(claimDue(joins().waitHandler().topic())).isEmpty();
  }
}
