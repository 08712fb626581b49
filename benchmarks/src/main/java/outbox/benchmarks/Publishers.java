package outbox.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import outbox.EventEnvelope;

/** Threads that commit events through a contestant. */
final class Publishers {
  private final Contestant contestant;
  private final int threads;
  private final boolean withBusinessRow;

  Publishers(Contestant contestant, int threads, boolean withBusinessRow) {
    this.contestant = contestant;
    this.threads = threads;
    this.withBusinessRow = withBusinessRow;
  }

  /** As fast as they can for this long; returns how many they committed. */
  long publishFor(Duration duration) throws Exception {
    long end = System.nanoTime() + duration.toNanos();
    return onAll(
        thread -> {
          long count = 0;
          while (System.nanoTime() - end < 0) {
            contestant.commit(Payload.next(), withBusinessRow);
            count++;
          }
          return count;
        });
  }

  /** This many, as fast as they can. */
  long publish(long total) throws Exception {
    return onAll(
        thread -> {
          long share = total / threads + (thread < total % threads ? 1 : 0);
          for (long i = 0; i < share; i++) {
            contestant.commit(Payload.next(), withBusinessRow);
          }
          return share;
        });
  }

  /** At a steady rate, whether or not the contestant keeps up with it. */
  long publishAt(int perSecond, Duration duration, Supplier<EventEnvelope> events)
      throws Exception {
    long start = System.nanoTime();
    long step = TimeUnit.SECONDS.toNanos(1) / perSecond;
    long total = duration.toNanos() / step;
    return onAll(
        thread -> {
          long count = 0;
          for (long i = thread; i < total; i += threads) {
            awaitInstant(start + i * step);
            contestant.commit(events.get(), withBusinessRow);
            count++;
          }
          return count;
        });
  }

  private static void awaitInstant(long nanos) {
    long rest = nanos - System.nanoTime();
    while (rest > 0) {
      LockSupport.parkNanos(rest);
      rest = nanos - System.nanoTime();
    }
  }

  private long onAll(Work work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> calls = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        calls.add(() -> work.run(thread));
      }
      long sum = 0;
      for (Future<Long> result : pool.invokeAll(calls)) {
        sum += result.get();
      }
      return sum;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a publisher failed", e.getCause());
    } finally {
      pool.shutdown();
    }
  }

  @FunctionalInterface
  private interface Work {
    long run(int thread) throws Exception;
  }
}
