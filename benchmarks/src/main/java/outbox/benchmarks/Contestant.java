package outbox.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import outbox.EventEnvelope;

/** Someone who commits events and, all but the floor, delivers them. Thread-safe. */
interface Contestant extends AutoCloseable {
  long LONGEST_WAIT_SECONDS = 600;

  /** One transaction: the event and, if asked for, a business row before it. */
  void commit(EventEnvelope event, boolean withBusinessRow) throws Exception;

  /** Events that were delivered and whose completion is committed. */
  long completed();

  @Override
  void close();

  default void awaitCompleted(long count) {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
    while (completed() < count) {
      if (System.nanoTime() - limit > 0) {
        throw new IllegalStateException(
            "only " + completed() + " of " + count + " events completed, waited too long");
      }
      LockSupport.parkNanos(500_000);
    }
  }
}
