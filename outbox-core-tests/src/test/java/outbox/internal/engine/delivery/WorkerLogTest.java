package outbox.internal.engine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;

class WorkerLogTest {
  private static final Logger LINES = Logger.getLogger(WorkerLog.MESSAGES);
  private static final Logger SUMMARIES = Logger.getLogger(WorkerLog.SUMMARY);

  private final AtomicLong now = new AtomicLong();
  private final WorkerLog log = new WorkerLog(now::get);
  private final Delivery delivery = Deliveries.of(EventEnvelope.ofJson("Any", "{}"), null);
  private final Lines lines = new Lines();

  @BeforeEach
  void silenceTheMessages() {
    LINES.setLevel(Level.OFF);
    SUMMARIES.addHandler(lines);
  }

  @AfterEach
  void restore() {
    LINES.setLevel(null);
    SUMMARIES.removeHandler(lines);
  }

  @Test
  @Spec("IDEM-43")
  void saysOnceAMinuteWhatWasDoneSinceTheLastTime() {
    log.succeeded(delivery);
    log.succeeded(delivery);
    log.failed(delivery, 10);
    log.died();
    log.skippedProcessed(delivery);
    log.summarizeIfDue();
    assertThat(lines.texts).isEmpty();

    now.addAndGet(WorkerLog.SUMMARY_PERIOD.toNanos());
    log.summarizeIfDue();
    log.summarizeIfDue();

    assertThat(lines.texts)
        .containsExactly(
            "OUTBOX_WORKER_SUMMARY seconds=60 fetched=0 succeeded=2 failed=1 dead=1 skipped=1");
  }

  @Test
  void saysNothingWhileNothingIsDone() {
    now.addAndGet(WorkerLog.SUMMARY_PERIOD.toNanos());
    log.summarizeIfDue();

    assertThat(lines.texts).isEmpty();
  }

  @Test
  void makesNothingWhileItsLoggerIsOff() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    logEverything(1_000);

    long before = threads.getCurrentThreadAllocatedBytes();
    logEverything(100_000);
    long made = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(made).as("bytes for 100,000 messages").isLessThan(100_000);
  }

  private void logEverything(int times) {
    for (int i = 0; i < times; i++) {
      log.succeeded(delivery);
      log.failed(delivery, 10);
      log.skippedProcessed(delivery);
      log.summarizeIfDue();
    }
  }

  /** Collects what is logged. */
  private static final class Lines extends Handler {
    final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      texts.add(record.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
