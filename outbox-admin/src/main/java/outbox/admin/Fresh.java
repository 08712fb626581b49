package outbox.admin;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is costly to get and good for a while. However many ask at once, one gets it and the
 * others wait for the same; a failure is told to all who waited, and kept for nobody.
 */
final class Fresh<T> {
  private final Supplier<T> source;
  private final long goodForNanos;
  private final AtomicReference<@Nullable Look<T>> latest = new AtomicReference<>();

  Fresh(Duration goodFor, Supplier<T> source) {
    this.goodForNanos = goodFor.toNanos();
    this.source = source;
  }

  T get() {
    while (true) {
      Look<T> known = latest.get();
      if (known != null && known.usable(goodForNanos)) {
        return known.value();
      }
      Look<T> mine = new Look<>(source);
      if (latest.compareAndSet(known, mine)) {
        mine.run();
        return mine.value();
      }
    }
  }

  private static final class Look<T> extends FutureTask<T> {
    private volatile long endedAt;
    private volatile boolean failed;

    Look(Supplier<T> source) {
      super(source::get);
    }

    boolean usable(long goodForNanos) {
      return !isDone() || (!failed && System.nanoTime() - endedAt < goodForNanos);
    }

    @Override
    protected void set(T value) {
      endedAt = System.nanoTime();
      super.set(value);
    }

    @Override
    protected void setException(Throwable e) {
      failed = true;
      super.setException(e);
    }

    T value() {
      try {
        return get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for a look at the database", e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException failure) {
          throw failure;
        }
        throw new IllegalStateException(e.getCause());
      }
    }
  }
}
