package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;

class DefaultInFlightTrackerTest {
  private static final long TTL_NANOS = 1_000;

  private final AtomicLong nanos = new AtomicLong();

  @Test
  @Spec("FRM-61")
  void anEventIsInFlightOnceUntilReleased() {
    InFlightTracker tracker = new DefaultInFlightTracker();

    assertThat(tracker.tryAcquire("a")).isTrue();
    assertThat(tracker.tryAcquire("a")).isFalse();
    assertThat(tracker.tryAcquire("b")).isTrue();
    tracker.release("a");
    tracker.release("unknown");
    assertThat(tracker.tryAcquire("a")).isTrue();
  }

  @Test
  @Spec("FRM-61")
  void anEntryCanBeAcquiredAgainAfterItsMillisecondsAndWithoutSuchALimitNever() {
    Duration timeToLive = Duration.ofMillis(200);
    InFlightTracker tracker = new DefaultInFlightTracker(timeToLive.toMillis());
    InFlightTracker unlimited = new DefaultInFlightTracker();
    long before = System.nanoTime();
    assertThat(tracker.tryAcquire("a")).isTrue();
    assertThat(unlimited.tryAcquire("a")).isTrue();

    await().atMost(Duration.ofSeconds(30)).until(() -> tracker.tryAcquire("a"));

    assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(timeToLive);
    assertThat(unlimited.tryAcquire("a")).isFalse();
  }

  @Test
  @Spec("FRM-61")
  void anEntryIsStaleAfterItsTimeToLiveAndThenAcquiredOnce() {
    InFlightTracker tracker =
        new DefaultInFlightTracker(TTL_NANOS, new ConcurrentHashMap<>(), nanos::get);
    assertThat(tracker.tryAcquire("a")).isTrue();

    nanos.addAndGet(TTL_NANOS);
    assertThat(tracker.tryAcquire("a")).isFalse();
    nanos.addAndGet(1);
    assertThat(tracker.tryAcquire("a")).isTrue();
    assertThat(tracker.tryAcquire("a")).isFalse();
  }

  @Test
  @Spec({"FRM-61", "FRM-86"})
  void ofTwoThatSeeTheSameStaleEntryOneAcquiresIt() {
    Overtaken entries = new Overtaken();
    InFlightTracker tracker = new DefaultInFlightTracker(TTL_NANOS, entries, nanos::get);
    assertThat(tracker.tryAcquire("a")).isTrue();
    nanos.addAndGet(TTL_NANOS + 1);

    entries.other = () -> tracker.tryAcquire("a");
    boolean slow = tracker.tryAcquire("a");

    assertThat(entries.otherAcquired).isTrue();
    assertThat(slow).isFalse();
  }

  /** Lets another thread run between the look at an entry and the take-over that follows it. */
  private static final class Overtaken extends ConcurrentHashMap<String, Long> {
    private static final long serialVersionUID = 1;

    private transient @Nullable BooleanSupplier other;
    private boolean otherAcquired;

    @Override
    public @Nullable Long putIfAbsent(String id, Long now) {
      Long since = super.putIfAbsent(id, now);
      BooleanSupplier overtaking = other;
      other = null;
      if (overtaking != null) {
        otherAcquired = overtaking.getAsBoolean();
      }
      return since;
    }
  }

  @Test
  @Spec("FRM-61")
  void anEntryThatIsNotStaleIsKept() {
    InFlightTracker tracker = new DefaultInFlightTracker(3_600_000);

    assertThat(tracker.tryAcquire("a")).isTrue();
    assertThat(tracker.tryAcquire("a")).isFalse();
  }

  @Test
  @Spec("FRM-61")
  void oneOfManyThreadsWins() throws Exception {
    InFlightTracker tracker = new DefaultInFlightTracker(3_600_000);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 200; round++) {
        String id = "event-" + round;
        Callable<Boolean> acquire = () -> tracker.tryAcquire(id);
        List<Future<Boolean>> results = threads.invokeAll(Collections.nCopies(8, acquire));
        int winners = 0;
        for (Future<Boolean> result : results) {
          winners += result.get() ? 1 : 0;
        }
        assertThat(winners).isEqualTo(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void refusesATimeToLiveOfNothing() {
    assertThatThrownBy(() -> new DefaultInFlightTracker(0))
        .hasMessage("ttlMs (0) must be at least 1");
  }

  @Test
  @Spec("FRM-60")
  void aQueuedEventKnowsItsEnvelopeItsSourceAndItsAttempts() {
    EventEnvelope envelope = EventEnvelope.ofJson("Type", "{}");

    QueuedEvent queued = new QueuedEvent(envelope, QueuedEvent.Source.COLD, 2);

    assertThat(queued.envelope()).isSameAs(envelope);
    assertThat(queued.source()).isEqualTo(QueuedEvent.Source.COLD);
    assertThat(queued.attempts()).isEqualTo(2);
    assertThatThrownBy(() -> new QueuedEvent(envelope, QueuedEvent.Source.HOT, -1))
        .hasMessage("attempts (-1) must not be negative");
  }
}
