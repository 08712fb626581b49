package outbox.internal.engine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.InFlightTracker;
import outbox.internal.engine.delivery.Delivery.Hold;

class InFlightTest {
  private static final EventEnvelope EVENT = EventEnvelope.ofJson("Any", "{}");

  private final InFlight inFlight = new InFlight(id -> true, id -> {});

  @Test
  @Spec("FRM-56")
  void whatIsInFlightGoesOnUnderTheTokenOfAFreshCopy() {
    Delivery first = delivery(1, new Hold("first", 1));
    assertThat(inFlight.admit(first)).isTrue();

    assertThat(inFlight.admit(delivery(1, new Hold("second", 2)))).isFalse();

    assertThat(first.hold()).isEqualTo(new Hold("second", 2));
    assertThat(first.isLost()).isFalse();
  }

  @Test
  @Spec("IBX-045")
  void aCopyOfNewerContentTakesThePlaceOfTheOld() {
    Delivery old = delivery(1, new Hold("old", 1));
    Delivery fresh = delivery(2, new Hold("fresh", 2));
    assertThat(inFlight.admit(old)).isTrue();

    assertThat(inFlight.admit(fresh)).isTrue();

    assertThat(old.isLost()).isTrue();
    assertThat(old.hold().owner()).isEqualTo("old");
    inFlight.remove(old);
    assertThat(inFlight.contains(fresh)).isTrue();
  }

  @Test
  @Spec("IBX-045")
  void aCopyOfOlderContentThatComesLateIsDropped() {
    Delivery fresh = delivery(2, new Hold("fresh", 1));
    assertThat(inFlight.admit(fresh)).isTrue();

    assertThat(inFlight.admit(delivery(1, new Hold("old", 2)))).isFalse();

    assertThat(fresh.isLost()).isFalse();
    assertThat(fresh.hold().owner()).isEqualTo("fresh");
  }

  @Test
  @Spec({"FRM-56", "FRM-61"})
  void whatTheTrackerRefusesIsDroppedAndWhatItReleasedComesIn() {
    InFlightTracker tracker = new DefaultInFlightTracker();
    InFlight tracked = new InFlight(tracker::tryAcquire, tracker::release);
    Delivery delivery = delivery(1, new Hold("me", 1));
    assertThat(tracker.tryAcquire(delivery.id())).isTrue();

    assertThat(tracked.admit(delivery)).isFalse();
    assertThat(tracked.size()).isZero();

    tracker.release(delivery.id());
    assertThat(tracked.admit(delivery)).isTrue();
    assertThat(tracker.tryAcquire(delivery.id())).isFalse();
    tracked.remove(delivery);
    assertThat(tracker.tryAcquire(delivery.id())).isTrue();
  }

  private static Delivery delivery(int contentVersion, Hold hold) {
    return Deliveries.claimed(EVENT, 0, Instant.now(), hold, false, 0, contentVersion);
  }
}
