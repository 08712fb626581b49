package outbox.internal.engine.completion;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetterListener;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.common.FailureTrace;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.text.LogText;
import outbox.model.DeadLetter;

/**
 * Tells the listener of the events that died, on a thread of its own, so that nothing waits for it.
 * Thread-safe.
 */
public final class DeadLetterNotifier {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);
  private static final int MOST_WAITING = 10_000;
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final @Nullable DeadLetterListener listener;
  private final ThreadPoolExecutor thread;
  private final AtomicInteger waiting = new AtomicInteger();

  public DeadLetterNotifier(@Nullable DeadLetterListener listener) {
    this.listener = listener;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            EngineThreads.platform("outbox-dead-letters-"));
    thread.allowCoreThreadTimeOut(true);
  }

  public void give(String store, DeadLetter letter) {
    DeadLetterListener told = listener;
    if (told == null) {
      return;
    }
    waiting.incrementAndGet();
    try {
      thread.execute(() -> tell(told, store, letter));
    } catch (RejectedExecutionException e) {
      waiting.decrementAndGet();
      LOG.log(
          Level.WARNING,
          "dead letter not told to onDead, which is slow or closed event={0}",
          LogText.of(letter.event().toString()));
    }
  }

  private void tell(DeadLetterListener told, String store, DeadLetter letter) {
    try {
      told.onDead(store, letter);
    } catch (RuntimeException | Error e) {
      LOG.log(
          Level.ERROR,
          "onDead failed event=" + LogText.of(letter.event().toString()),
          FailureTrace.of(e));
    } finally {
      waiting.decrementAndGet();
    }
  }

  /** Whether the listener has been told of every event that died. */
  public boolean isIdle() {
    return waiting.get() == 0;
  }

  /** Gives the notices that wait, for as long as the limit allows. */
  public void close(Duration limit) throws InterruptedException {
    thread.shutdown();
    if (!thread.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.log(
          Level.WARNING, "closed with dead letters not told count={0}", thread.getQueue().size());
    }
  }
}
