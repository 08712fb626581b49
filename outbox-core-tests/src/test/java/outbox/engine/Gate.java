package outbox.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.EventListener;

/** A listener that waits until the gate opens. */
final class Gate implements EventListener, AutoCloseable {
  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger entered = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();

  @Override
  public void onEvent(EventEnvelope event) throws InterruptedException {
    entered.incrementAndGet();
    try {
      open.await();
    } catch (InterruptedException e) {
      interrupted.incrementAndGet();
      throw e;
    }
  }

  int entered() {
    return entered.get();
  }

  int interrupted() {
    return interrupted.get();
  }

  @Override
  public void close() {
    open.countDown();
  }
}
