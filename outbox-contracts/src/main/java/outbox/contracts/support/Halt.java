package outbox.contracts.support;

import java.util.concurrent.CountDownLatch;

/** A point at which a handler stops until the test lets it go on. */
public final class Halt {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  public Halt() {}

  public void reach() throws InterruptedException {
    reached.countDown();
    released.await();
  }

  public void awaitReached() throws InterruptedException {
    reached.await();
  }

  public void release() {
    released.countDown();
  }
}
