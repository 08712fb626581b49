package outbox.internal.engine.handling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Delivery.Hold;

@Timeout(60)
class IsolationTest {
  private static final int LIMIT = 3;

  private final ProcessRuns runs = new ProcessRuns();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Isolation isolation = new Isolation(runs, LIMIT, closing::get);

  @Test
  void suspectsThatWereNeverCountedRunSideBySide() {
    assertThat(isolation.enter(suspect(0))).isNull();
    assertThat(isolation.enter(suspect(0))).isNull();
    assertThat(isolation.enter(ordinary())).isNull();
  }

  @Test
  void suspectsThatWereCountedRunOneAtATimeEvenInDifferentEngines() {
    Isolation otherEngine = new Isolation(runs, LIMIT, closing::get);
    Delivery first = suspect(1);
    Delivery second = suspect(2);
    assertThat(isolation.enter(first)).isNull();

    assertThat(otherEngine.enter(second)).isPositive();
    isolation.leave();
    assertThat(otherEngine.enter(second)).as("its outcome is not stored yet").isPositive();
    runs.settled(first);

    assertThat(otherEngine.enter(second)).isNull();
  }

  @Test
  void othersWaitUntilTheOutcomeOfTheOneThatRanAloneIsStored() throws Exception {
    Delivery offender = suspect(1);
    assertThat(isolation.enter(offender)).isNull();
    Entry other = new Entry(ordinary());

    other.awaitWaiting();
    isolation.leave();
    other.awaitWaiting();
    runs.settled(offender);

    other.join();
    assertThat(other.delay).isNull();
  }

  @Test
  void oneThatRunsAloneWaitsUntilTheOthersHaveEnded() throws Exception {
    isolation.enter(ordinary());
    Delivery counted = suspect(0);
    isolation.enter(counted);
    Entry offender = new Entry(suspect(1));

    offender.awaitWaiting();
    isolation.leave();
    isolation.leave();
    runs.settled(counted);

    offender.join();
    assertThat(offender.delay).isNull();
  }

  @Test
  void oneThatNeverEndsKeepsNoOtherWaiting() throws Exception {
    Delivery stuck = suspect(1);
    isolation.enter(stuck);
    Entry other = new Entry(ordinary());
    other.awaitWaiting();

    stuck.interruptOverdue();

    other.join();
    isolation.leave();
    assertThat(isolation.enter(suspect(1))).isNull();
  }

  @Test
  void closingEngineWaitsForNoneAndStartsNoSuspect() throws Exception {
    isolation.enter(suspect(1));
    Entry other = new Entry(ordinary());
    other.awaitWaiting();

    closing.set(true);

    other.join();
    assertThat(isolation.enter(suspect(1))).isPositive();
  }

  @Test
  void everySuspectRunsAloneIfTheNextCountIsItsLast() {
    Isolation strict = new Isolation(runs, 1, closing::get);
    assertThat(strict.enter(suspect(0))).isNull();

    assertThat(strict.enter(suspect(0))).isPositive();
  }

  @Test
  void oneThatHasReachedTheLimitEndsWithoutWaiting() {
    isolation.enter(suspect(1));
    closing.set(true);

    assertThat(isolation.enter(suspect(LIMIT))).isNull();
  }

  private static Delivery ordinary() {
    return delivery(false, 0);
  }

  private static Delivery suspect(int leaseExpiries) {
    return delivery(true, leaseExpiries);
  }

  private static Delivery delivery(boolean suspect, int leaseExpiries) {
    return Deliveries.claimed(
        EventEnvelope.ofJson("Any", "{}"),
        0,
        Instant.now(),
        new Hold("me", 0),
        suspect,
        leaseExpiries,
        1);
  }

  /** A thread that enters. */
  private final class Entry extends Thread {
    private @Nullable Duration delay = Duration.ZERO;

    private Entry(Delivery delivery) {
      super(() -> {});
      this.delivery = delivery;
      start();
    }

    private final Delivery delivery;

    @Override
    public void run() {
      delay = isolation.enter(delivery);
    }

    private void awaitWaiting() {
      await().atMost(Duration.ofSeconds(30)).until(() -> getState() == State.TIMED_WAITING);
    }
  }
}
