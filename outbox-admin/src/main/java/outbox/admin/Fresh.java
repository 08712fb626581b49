package outbox.admin;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is costly to get and good for a while. However many ask at once, one gets it and the
 * others wait for the same; a failure is told to all who waited, and kept for nobody.
 */
final class Fresh<T> {
  private final Supplier<T> source;
  private final Executor executor;
  private final long goodForNanos;
  private final AtomicReference<@Nullable Look<T>> latest = new AtomicReference<>();

  /** Gets the value in the thread of the first who asks. */
  Fresh(Duration goodFor, Supplier<T> source) {
    this(goodFor, source, Runnable::run);
  }

  Fresh(Duration goodFor, Supplier<T> source, Executor executor) {
    this.goodForNanos = goodFor.toNanos();
    this.source = source;
    this.executor = executor;
  }

  T get() {
    try {
      return ask().value.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  /** Begins to get the value, unless it is there or on its way. */
  Look<T> ask() {
    while (true) {
      Look<T> known = latest.get();
      if (known != null && known.usable(goodForNanos)) {
        return known;
      }
      Look<T> mine = new Look<>();
      if (latest.compareAndSet(known, mine)) {
        executor.execute(() -> mine.run(source));
        return mine;
      }
    }
  }

  /** One time of getting the value. */
  static final class Look<T> {
    private final long startedAt = System.nanoTime();
    private final CompletableFuture<T> value = new CompletableFuture<>();
    private volatile long endedAt;

    private boolean usable(long goodForNanos) {
      return !value.isDone()
          || (!value.isCompletedExceptionally() && System.nanoTime() - endedAt < goodForNanos);
    }

    private void run(Supplier<T> source) {
      try {
        T got = source.get();
        endedAt = System.nanoTime();
        value.complete(got);
      } catch (RuntimeException | Error e) {
        value.completeExceptionally(e);
      }
    }

    CompletableFuture<T> value() {
      return value;
    }

    /** What is left of the patience of those who wait since it began; not negative. */
    Duration left(Duration patience) {
      Duration left = patience.minusNanos(System.nanoTime() - startedAt);
      return left.isNegative() ? Duration.ZERO : left;
    }
  }
}
