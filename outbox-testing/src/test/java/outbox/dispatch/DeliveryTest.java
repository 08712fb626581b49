package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testing.Spec;

class DeliveryTest {
  private final Delivery delivery =
      Delivery.of(
          new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.HOT, 0), new Hold("me", 0));

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
}
