package outbox.internal.engine.intake;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Lets one claim of a store through at a time, and none once it is closed. Thread-safe. */
public final class ClaimGate {
  private final ReentrantLock claiming = new ReentrantLock();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Runs a claim so that closing waits for it; none begins once closed. */
  public <T> T pass(Supplier<T> claim, T otherwise) {
    claiming.lock();
    try {
      return isClosed() ? otherwise : claim.get();
    } finally {
      claiming.unlock();
    }
  }

  public boolean isClosed() {
    return closed.get();
  }

  /** No event is claimed or taken in from here on; returns true the first time. */
  public boolean close() {
    return closed.compareAndSet(false, true);
  }

  /** Waits for a claim under way. */
  public void awaitClaim(Duration limit) throws InterruptedException {
    if (claiming.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      claiming.unlock();
    }
  }
}
