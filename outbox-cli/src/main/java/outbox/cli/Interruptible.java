package outbox.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Work in batches that Ctrl-C ends between two of them. The process stays until the work has said
 * how far it came. The thread is not interrupted: that would break an embedded database's files.
 */
final class Interruptible implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PrintWriter err;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread atExit = new Thread(this::stop, "outbox-interrupt");
  private volatile boolean stopped;

  Interruptible(PrintWriter err) {
    this.err = err;
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  boolean isStopped() {
    return stopped;
  }

  private void stop() {
    stopped = true;
    err.println();
    err.println("stopping after the batch under way");
    err.flush();
    try {
      boolean unused = ended.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The work has ended, and has said so. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      err.flush();
    }
    ended.countDown();
  }
}
