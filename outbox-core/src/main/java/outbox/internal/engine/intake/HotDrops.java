package outbox.internal.engine.intake;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import outbox.EventEnvelope;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.text.LogText;

/** Warns of events that found the hot lane full: at once, then at most every ten seconds. */
final class HotDrops {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);
  private static final long PERIOD_NANOS = 10_000_000_000L;

  private final AtomicLong unreported = new AtomicLong();
  private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());

  void warnOf(EventEnvelope event) {
    unreported.incrementAndGet();
    long now = System.nanoTime();
    long due = nextWarning.get();
    if (now - due >= 0 && nextWarning.compareAndSet(due, now + PERIOD_NANOS)) {
      LOG.log(
          Level.WARNING,
          "hot queue full, left to the poller count={0} last={1}; raise hotQueueCapacity or"
              + " dispatcherWorkers if this persists",
          unreported.getAndSet(0),
          LogText.of(event.eventId()));
    }
  }
}
