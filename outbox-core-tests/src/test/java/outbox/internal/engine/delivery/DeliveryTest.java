package outbox.internal.engine.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.spi.LeasedEventStore.ClaimedEvent;

class DeliveryTest {
  private final Delivery delivery = other();

  @AfterEach
  void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  @Test
  void interruptOfARunReachesItsThreadAndEndsWithTheRun() {
    delivery.begin();
    assertThat(delivery.interruptOverdue()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isTrue();

    assertThat(delivery.run().end()).isFalse();

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void interruptAfterTheRunReachesNoThread() {
    delivery.begin();
    delivery.run().end();

    assertThat(delivery.interruptOverdue()).isFalse();
    delivery.interruptForClose();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  @Spec({"IDEM-39", "IDEM-40"})
  void keyIsTheProducersAlsoOnceTheEventIsHandled() {
    EventEnvelope keyed =
        EventEnvelope.builder("Any").payloadJson("{}").idempotencyKey("order-7").build();
    Delivery delivery = Deliveries.of(keyed, "me");

    delivery.handled(Outcome.DONE);

    assertThat(delivery.key()).isEqualTo("order-7");
    assertThat(this.delivery.key()).isEqualTo(this.delivery.id());
  }

  @Test
  void theLogCountsTheDeliveryThatItIsAbout() {
    assertThat(delivery.toString()).contains(" attempts=1");
  }

  @Test
  void lossOfTheLeaseCancelsAndInterruptsTheRun() {
    delivery.begin();

    delivery.markLost();

    assertThat(delivery.run().isCancelled()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  @Test
  void renewalUnderAnOldTokenDoesNotMoveTheDeadlineOfTheNewOne() {
    delivery.adopt(new Hold("me again", 7));

    delivery.renewed("me", 42);

    assertThat(delivery.hold()).isEqualTo(new Hold("me again", 7));
  }

  @Test
  void olderTokenOfTheSameProcessDoesNotReplaceTheNewerOne() {
    delivery.adopt(new Hold("newer", 7));

    delivery.adopt(new Hold("older", 6));

    assertThat(delivery.hold()).isEqualTo(new Hold("newer", 7));
  }

  @Test
  void tokenOfARowThatIsNotLeasedIsNotAdopted() {
    delivery.adopt(new Hold(null, 7));

    assertThat(delivery.hold()).isEqualTo(new Hold("me", 0));
    assertThat(delivery.isLeased()).isTrue();
  }

  @Test
  void itsLeaseIsOverAtItsDeadline() {
    delivery.renewed("me", 42);

    assertThat(delivery.deadlinePassed(41)).isFalse();
    assertThat(delivery.deadlinePassed(42)).isTrue();
    assertThat(delivery.deadlinePassed(43)).isTrue();
  }

  @Test
  void runsFromItsBeginningUntilItsOutcomeStands() {
    assertThat(delivery.stage().isRunning()).isFalse();
    delivery.begin();
    assertThat(delivery.stage().isRunning()).isTrue();
    delivery.run().end();
    assertThat(delivery.stage().isRunning()).isTrue();

    delivery.handled(Outcome.DONE);

    assertThat(delivery.stage().isRunning()).isFalse();
  }

  @Test
  void anEventThatDoesNotRunGoesFromWaitingToItsOutcome() {
    assertThat(delivery.stage()).isEqualTo(Stage.WAITING);

    delivery.handled(Outcome.RELEASE);
    assertThat(delivery.stage()).isEqualTo(Stage.HANDLED);
    delivery.settled();

    assertThat(delivery.stage()).isEqualTo(Stage.SETTLED);
    assertThat(delivery.outcome()).isEqualTo(Outcome.RELEASE);
  }

  @Test
  void aFlushMayFailMoreThanOnceBeforeTheOutcomeIsStored() {
    delivery.begin();
    delivery.handled(Outcome.DONE);

    delivery.flushFailed();
    delivery.flushFailed();
    assertThat(delivery.stage()).isEqualTo(Stage.IN_DOUBT);
    delivery.settled();

    assertThat(delivery.stage()).isEqualTo(Stage.SETTLED);
  }

  @Test
  void whatATransactionHasWrittenIsStoredByItsCommitWhileCallbacksRun() {
    delivery.begin();
    delivery.outcomeWritten();
    assertThat(delivery.stage().isBeingStored()).isTrue();
    assertThat(delivery.stage().isStored()).isFalse();

    delivery.committed();
    assertThat(delivery.stage().isStored()).isTrue();
    assertThat(delivery.stage().isRunning()).isTrue();
    delivery.stored(Outcome.DONE);

    assertThat(delivery.stage()).isEqualTo(Stage.SETTLED);
  }

  @Test
  void whatATransactionHasWrittenIsStoredAlsoIfItsCommitIsNotTold() {
    delivery.begin();
    delivery.outcomeWritten();

    delivery.stored(Outcome.DONE);

    assertThat(delivery.stage()).isEqualTo(Stage.SETTLED);
  }

  @Test
  void aRollbackLeadsBackToTheRun() {
    delivery.begin();
    delivery.rolledBack();
    delivery.outcomeWritten();

    delivery.rolledBack();

    assertThat(delivery.stage()).isEqualTo(Stage.RUNNING);
    delivery.handled(Outcome.DONE);
    assertThat(delivery.stage()).isEqualTo(Stage.HANDLED);
  }

  @Test
  void aMoveThatTheStageDoesNotAllowIsRefusedAndChangesNothing() {
    assertThatThrownBy(delivery::outcomeWritten)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a delivery that is WAITING cannot become WRITTEN");
    assertThatThrownBy(delivery::settled).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(delivery::flushFailed).isInstanceOf(IllegalStateException.class);
    delivery.begin();
    assertThatThrownBy(delivery::begin).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(delivery::committed).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> delivery.stored(Outcome.DONE))
        .isInstanceOf(IllegalStateException.class);
    assertThat(delivery.envelope()).isNotNull();
    delivery.handled(Outcome.DONE);
    assertThatThrownBy(() -> delivery.handled(Outcome.RELEASE))
        .isInstanceOf(IllegalStateException.class);
    assertThat(delivery.outcome()).isEqualTo(Outcome.DONE);
    delivery.settled();
    assertThatThrownBy(delivery::settled).isInstanceOf(IllegalStateException.class);
    assertThat(delivery.stage()).isEqualTo(Stage.SETTLED);
  }

  @Test
  void theFirstLeaseIsTakenOnce() {
    ClaimedEvent claimed =
        new ClaimedEvent(
            delivery.envelope().toEvent(delivery.createdAt()).build(),
            true,
            2,
            null,
            null,
            null,
            1);
    Delivery unleased = Deliveries.of(delivery.envelope(), null);

    unleased.leased(new Hold("me", 7), claimed);

    assertThat(unleased.hold()).isEqualTo(new Hold("me", 7));
    assertThat(unleased.isSuspect()).isTrue();
    assertThat(unleased.leaseExpiries()).isEqualTo(2);
    unleased.startRecorded();
    assertThat(unleased.isSuspect()).isFalse();
    assertThatThrownBy(() -> unleased.leased(new Hold("again", 8), claimed))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void isGivenUpOnceItIsOverdueOrLost() {
    Delivery lost = other();
    assertThat(delivery.isGivenUp()).isFalse();
    assertThat(delivery.isAtStake()).isTrue();

    delivery.interruptOverdue();
    lost.markLost();

    assertThat(delivery.isGivenUp()).isTrue();
    assertThat(delivery.isOverdue()).isTrue();
    assertThat(delivery.isAtStake()).isFalse();
    assertThat(lost.isGivenUp()).isTrue();
    assertThat(lost.isOverdue()).isFalse();
    assertThat(lost.isAtStake()).isFalse();
  }

  @Test
  void theNextListenerMayRunUnlessTheWholeDeliveryIsCancelled() {
    delivery.begin();
    Thread.currentThread().interrupt();
    assertThat(delivery.mayRunNext()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();

    delivery.interruptForClose();

    assertThat(delivery.isCutShort()).isTrue();
    assertThat(delivery.mayRunNext()).isFalse();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void keepsNoPayloadOnceItsOutcomeStands() {
    assertThat(delivery.bytes()).isEqualTo(514);
    Outcome.Dead dead = new Outcome.Dead("gone", "gone for good");

    delivery.handled(dead);

    assertThatThrownBy(delivery::envelope).isInstanceOf(NullPointerException.class);
    assertThat(delivery.letter(dead).event().attempts()).isEqualTo(1);
    assertThat(delivery.letter(dead).error()).isEqualTo("gone for good");
    Delivery done = other();
    done.handled(Outcome.DONE);
    assertThatThrownBy(() -> done.letter(dead)).hasMessage("it did not die");
  }

  @Test
  void itsRunnerIsReplacedOnceAndOnlyWhileItRuns() {
    assertThat(delivery.run().replaceThread()).isFalse();
    delivery.begin();
    assertThat(delivery.run().replaceThread()).isTrue();
    assertThat(delivery.run().replaceThread()).isFalse();
    assertThat(delivery.run().end()).isTrue();
    assertThat(delivery.run().replaceThread()).isFalse();
  }

  private static Delivery other() {
    return Deliveries.any();
  }
}
