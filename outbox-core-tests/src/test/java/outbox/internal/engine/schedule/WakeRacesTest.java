package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.internal.engine.ServedStore;
import outbox.internal.engine.common.Waiter;
import outbox.internal.engine.schedule.StoreTask.Kind;

/**
 * Threads that wait, and others that wake them, as fast as they can: no wake-up is lost, and no
 * task runs twice at once. {@code -Doutbox.races=N} does N times as much.
 */
@Timeout(600)
class WakeRacesTest extends ScheduledStores {
  private static final int TIMES = Integer.getInteger("outbox.races", 1);
  private static final int WAKES = 20_000 * TIMES;
  private static final int REQUESTS = 4_000 * TIMES;
  private static final Duration HOUR = Duration.ofHours(1);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean failed = new AtomicBoolean();

  @AfterEach
  void stop() {
    scheduler.close();
    threads.shutdownNow();
  }

  @Test
  void noWakeUpIsLostHoweverItMeetsTheWait() throws Exception {
    Waiter waiter = new Waiter();
    AtomicInteger sent = new AtomicInteger();
    AtomicInteger answered = new AtomicInteger();
    threads.execute(
        () ->
            run(
                () -> {
                  while (answered.get() < WAKES) {
                    waiter.await(HOUR);
                    answered.set(sent.get());
                  }
                }));

    for (int i = 1; i <= WAKES; i++) {
      sent.set(i);
      waiter.wake();
      awaitAnswer(answered, i);
    }

    assertThat(answered).hasValue(WAKES);
  }

  @Test
  void noEarlierTimeIsMissedByAWaitThatHasBegun() throws Exception {
    Waiter waiter = new Waiter();
    AtomicLong due = new AtomicLong(Long.MAX_VALUE);
    AtomicInteger answered = new AtomicInteger();
    threads.execute(
        () ->
            run(
                () -> {
                  while (answered.get() < WAKES) {
                    waiter.await(HOUR, due::get);
                    due.set(Long.MAX_VALUE);
                    answered.incrementAndGet();
                  }
                }));

    for (int i = 1; i <= WAKES; i++) {
      due.set(0);
      waiter.recompute();
      awaitAnswer(answered, i);
    }

    assertThat(answered).hasValue(WAKES);
  }

  private static void awaitAnswer(AtomicInteger answered, int number) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (answered.get() < number) {
      Thread.onSpinWait();
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("wake-up " + number + " is lost");
      }
    }
  }

  @Test
  void everyRequestIsFollowedByARunAndNoDutyRunsTwiceAtOnce() {
    List<Counted> tasks = new ArrayList<>();
    for (ServedStore store : stores(3)) {
      tasks.add(new Counted(store, Kind.FLUSH));
      tasks.add(new Counted(store, Kind.RENEW));
    }
    for (int i = 0; i < 3; i++) {
      threads.execute(() -> run(this::perform));
    }
    AtomicInteger asking = new AtomicInteger(3);
    for (int i = 0; i < 3; i++) {
      Random random = new Random();
      threads.execute(
          () ->
              run(
                  () -> {
                    for (int request = 0; request < REQUESTS; request++) {
                      tasks.get(random.nextInt(tasks.size())).request(random);
                    }
                    asking.decrementAndGet();
                  }));
    }

    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                failed.get()
                    || (asking.get() == 0 && tasks.stream().allMatch(Counted::isAnswered)));
    assertThat(failed).isFalse();
  }

  private void perform() throws InterruptedException {
    StoreTask task = scheduler.take();
    while (task != null) {
      scheduler.done(task, task.perform());
      task = scheduler.take();
    }
  }

  private void run(Work work) {
    try {
      work.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      failed.set(true);
      throw e;
    }
  }

  /** A task that knows how often it was asked for, and up to which request it has run. */
  private final class Counted {
    private final StoreTask task;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile int answered;

    Counted(ServedStore store, Kind kind) {
      this.task = new StoreTask(store.runtime(), kind, share -> work());
    }

    void request(Random random) {
      asked.incrementAndGet();
      long delay = random.nextInt(3) == 0 ? random.nextInt(200_000) : 0;
      scheduler.requestAt(task, System.nanoTime() + delay);
    }

    private @Nullable Duration work() {
      if (!running.compareAndSet(false, true)) {
        throw new IllegalStateException("runs twice at once");
      }
      answered = asked.get();
      Thread.onSpinWait();
      if (!running.compareAndSet(true, false)) {
        throw new IllegalStateException("ran twice at once");
      }
      return null;
    }

    boolean isAnswered() {
      return answered == asked.get();
    }
  }

  /** What a thread does. */
  @FunctionalInterface
  private interface Work {
    void run() throws InterruptedException;
  }
}
