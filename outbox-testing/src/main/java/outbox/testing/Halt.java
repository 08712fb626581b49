package outbox.testing;

import java.util.concurrent.CountDownLatch;

/** A point at which a handler stops until the test lets it go on. */
final class Halt {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  void reach() throws InterruptedException {
    reached.countDown();
    released.await();
  }

  void awaitReached() throws InterruptedException {
    reached.await();
  }

  void release() {
    released.countDown();
  }
}
