package outbox.chaos.node;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The threads that do the work of a node, and can be told to rest. Thread-safe. */
final class Load {
  private static final long PAUSE_AFTER_FAILURE = 50_000_000;
  private static final long PAUSE_OF_REST = 20_000_000;

  private final Random seeds;
  private final AtomicInteger busy = new AtomicInteger();
  private volatile boolean publishing;

  Load(long seed) {
    this.seeds = new Random(seed);
  }

  /** A thread that does so many steps in a second, unless the node rests. */
  void add(String name, double perSecond, Work work) {
    long period = (long) (1e9 / perSecond);
    start(
        name,
        random -> {
          long next = System.nanoTime() + period;
          if (!stepped(work, random)) {
            LockSupport.parkNanos(PAUSE_OF_REST);
          }
          LockSupport.parkNanos(next - System.nanoTime());
        });
  }

  /** A thread that works as fast as it can, also while the node rests. */
  void addWorker(String name, Work work) {
    start(name, work);
  }

  void publish(boolean wanted) {
    publishing = wanted;
  }

  boolean isResting() {
    return !publishing && busy.get() == 0;
  }

  private boolean stepped(Work work, Random random) throws Exception {
    busy.incrementAndGet();
    try {
      if (publishing) {
        work.step(random);
        return true;
      }
      return false;
    } finally {
      busy.decrementAndGet();
    }
  }

  private void start(String name, Work work) {
    Random random = new Random(seeds.nextLong());
    Thread thread = new Thread(() -> run(work, random), name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Whatever the database does to a step, the next one is tried. */
  private static void run(Work work, Random random) {
    while (true) {
      try {
        work.step(random);
      } catch (Exception | OutOfMemoryError e) {
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
      }
    }
  }
}
