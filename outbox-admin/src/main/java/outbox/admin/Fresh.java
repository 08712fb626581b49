package outbox.admin;

import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.TooSlowException;

/**
 * A value that is costly to get and good for a while. However many ask at once, one gets it and the
 * others wait for the same; a failure is told to all who waited, and not kept. Who has been getting
 * it for {@value #HANGS} times the patience of those who wait is no longer waited for.
 */
final class Fresh<T> {
  private static final int HANGS = 4;

  private final Supplier<T> source;
  private final Executor executor;
  private final Duration patience;
  private final long goodForNanos;
  private final long hangsNanos;
  private final AtomicReference<@Nullable Look<T>> latest = new AtomicReference<>();

  /** Gets the value in the thread of the first who asks. */
  Fresh(Duration goodFor, Duration patience, Supplier<T> source) {
    this(goodFor, patience, source, Runnable::run);
  }

  Fresh(Duration goodFor, Duration patience, Supplier<T> source, Executor executor) {
    this.goodForNanos = goodFor.toNanos();
    this.hangsNanos = patience.multipliedBy(HANGS).toNanos();
    this.patience = patience;
    this.source = source;
    this.executor = executor;
  }

  /**
   * The value, as soon as it is there.
   *
   * @throws TooSlowException if another caller is getting it, but not in time
   */
  T get() {
    try {
      return ask().await(patience);
    } catch (TimeoutException e) {
      throw new TooSlowException(
          "the database did not answer within " + patience,
          new SQLTimeoutException("another look still waits", e));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    }
  }

  /** Begins to get the value, unless it is there or on its way. */
  Look<T> ask() {
    while (true) {
      Look<T> known = latest.get();
      if (known != null && known.usable(goodForNanos, hangsNanos)) {
        return known;
      }
      Look<T> mine = new Look<>();
      if (latest.compareAndSet(known, mine)) {
        begin(mine);
        return mine;
      }
    }
  }

  private void begin(Look<T> look) {
    try {
      executor.execute(() -> look.run(source));
    } catch (RuntimeException | Error e) {
      look.fail(e);
    }
  }

  /** One time of getting the value. */
  static final class Look<T> {
    private final long askedAt = System.nanoTime();
    private final CompletableFuture<Long> begun = new CompletableFuture<>();
    private final CompletableFuture<T> value = new CompletableFuture<>();
    private volatile long endedAt;

    private boolean usable(long goodForNanos, long hangsNanos) {
      if (!value.isDone()) {
        return since(begun.getNow(System.nanoTime())) < hangsNanos;
      }
      return !value.isCompletedExceptionally() && since(endedAt) < goodForNanos;
    }

    private static long since(long nanos) {
      return System.nanoTime() - nanos;
    }

    private void run(Supplier<T> source) {
      begun.complete(System.nanoTime());
      try {
        T got = source.get();
        endedAt = System.nanoTime();
        value.complete(got);
      } catch (RuntimeException | Error e) {
        value.completeExceptionally(e);
      }
    }

    private void fail(Throwable reason) {
      begun.complete(System.nanoTime());
      value.completeExceptionally(reason);
    }

    CompletableFuture<T> value() {
      return value;
    }

    /** Waits until it begins, and then for its end: so long for each, counted from before. */
    T await(Duration patience) throws TimeoutException, ExecutionException {
      try {
        long began = begun.get(left(patience, askedAt), TimeUnit.NANOSECONDS);
        return value.get(left(patience, began), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for a look at the database", e);
      }
    }

    private static long left(Duration patience, long sinceNanos) {
      return patience.toNanos() - since(sinceNanos);
    }
  }
}
