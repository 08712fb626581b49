package outbox.demo;

import java.util.concurrent.CountDownLatch;

/** Ctrl-C, or SIGTERM, as something to wait for; the process lives until this is closed. */
final class Interrupt implements AutoCloseable {
  private final CountDownLatch came = new CountDownLatch(1);
  private final CountDownLatch handled = new CountDownLatch(1);

  private Interrupt() {}

  static Interrupt listen() {
    Interrupt interrupt = new Interrupt();
    Runtime.getRuntime().addShutdownHook(new Thread(interrupt::arrive, "demo-interrupt"));
    return interrupt;
  }

  private void arrive() {
    came.countDown();
    try {
      handled.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void await() throws InterruptedException {
    came.await();
  }

  @Override
  public void close() {
    handled.countDown();
  }
}
