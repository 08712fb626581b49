package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testing.Spec;

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

    assertThat(delivery.end()).isFalse();

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void interruptAfterTheRunReachesNoThread() {
    delivery.begin();
    delivery.end();

    assertThat(delivery.interruptOverdue()).isFalse();
    delivery.interruptForClose();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  @Spec({"IDEM-39", "IDEM-40"})
  void keyIsTheProducersAlsoOnceTheEventIsHandled() {
    EventEnvelope keyed =
        EventEnvelope.builder("Any").payloadJson("{}").idempotencyKey("order-7").build();
    Delivery delivery = Delivery.of(new QueuedEvent(keyed, Source.HOT, 0), new Hold("me", 0));

    delivery.outcome(Outcome.DONE);

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
    assertThat(delivery.isRunning()).isFalse();
    delivery.begin();
    assertThat(delivery.isRunning()).isTrue();
    delivery.end();
    assertThat(delivery.isRunning()).isTrue();

    delivery.outcome(Outcome.DONE);

    assertThat(delivery.isRunning()).isFalse();
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

    delivery.outcome(dead);

    assertThatThrownBy(delivery::envelope).isInstanceOf(NullPointerException.class);
    assertThat(delivery.letter(dead).event().attempts()).isEqualTo(1);
    assertThat(delivery.letter(dead).error()).isEqualTo("gone for good");
    Delivery done = other();
    done.outcome(Outcome.DONE);
    assertThatThrownBy(() -> done.letter(dead)).hasMessage("it did not die");
  }

  @Test
  void itsRunnerIsReplacedOnceAndOnlyWhileItRuns() {
    assertThat(delivery.replaceRunner()).isFalse();
    delivery.begin();
    assertThat(delivery.replaceRunner()).isTrue();
    assertThat(delivery.replaceRunner()).isFalse();
    assertThat(delivery.end()).isTrue();
    assertThat(delivery.replaceRunner()).isFalse();
  }

  private static Delivery other() {
    return Delivery.of(
        new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.HOT, 0), new Hold("me", 0));
  }
}
