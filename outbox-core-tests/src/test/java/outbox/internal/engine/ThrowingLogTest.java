package outbox.internal.engine;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.lanes.WorkerPool;

/** The threads of the engine go on although the failure that they report cannot be written. */
class ThrowingLogTest {
  private final Logger logger = Logger.getLogger(OutboxDispatcher.class.getName());
  private final Handler full = new FullDisk();
  private final AtomicInteger runs = new AtomicInteger();

  @BeforeEach
  void fillTheDisk() {
    logger.addHandler(full);
  }

  @AfterEach
  void emptyTheDisk() {
    logger.removeHandler(full);
  }

  @Test
  @Spec("FRM-83")
  void aLoopIsBegunAgain() {
    EngineThreads.start("loop-under-test", this::failAtFirst);

    awaitSecondRun();
  }

  /** The thread of the first one ends with what the log has thrown. */
  @Test
  void aWorkerIsReplaced() {
    new WorkerPool(EngineThreads.platform("worker-under-test-"), this::failAtFirst).start(1);

    awaitSecondRun();
  }

  private void awaitSecondRun() {
    await()
        .dontCatchUncaughtExceptions()
        .atMost(Duration.ofSeconds(60))
        .until(() -> runs.get() == 2);
  }

  private void failAtFirst() {
    if (runs.incrementAndGet() == 1) {
      throw new IllegalStateException("at first");
    }
  }

  private static final class FullDisk extends Handler {
    @Override
    public void publish(LogRecord record) {
      if (record.getLevel().equals(Level.SEVERE)
          && Thread.currentThread().getName().contains("under-test")) {
        throw new IllegalStateException("disk full");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
