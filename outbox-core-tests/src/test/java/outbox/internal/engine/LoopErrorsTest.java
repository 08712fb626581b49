package outbox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.lanes.WorkerPool;

/** A loop of the engine that fails runs again, and says so. */
@Timeout(60)
class LoopErrorsTest {
  private final Logger logger = Logger.getLogger(OutboxDispatcher.class.getName());
  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final AtomicInteger runs = new AtomicInteger();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          logged.add(line.getLevel() + " " + line.getMessage() + ": " + line.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(handler);
  }

  @Test
  @Spec("FRM-83")
  void loopThatFailsRunsAgainAndSaysSo() throws Exception {
    EngineThreads.start("outbox-loop", this::failOnce).join();

    assertThat(runs).hasValue(2);
    assertThat(logged)
        .containsExactly("SEVERE outbox-loop failed, continuing: java.lang.LinkageError: once");
  }

  @Test
  @Spec("FRM-83")
  void workerThatFailsIsReplacedAndSaysSo() throws Exception {
    WorkerPool pool = new WorkerPool(EngineThreads.platform("outbox-worker-"), this::failOnce);

    pool.start(1);
    assertThat(pool.awaitEnd(Duration.ofSeconds(30).toNanos())).isTrue();

    assertThat(runs).hasValue(2);
    assertThat(logged)
        .containsExactly("SEVERE worker failed, another was started: java.lang.LinkageError: once");
  }

  private void failOnce() {
    if (runs.incrementAndGet() == 1) {
      throw new LinkageError("once");
    }
  }
}
