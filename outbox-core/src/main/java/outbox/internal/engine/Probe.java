package outbox.internal.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import outbox.internal.engine.common.EngineThreads;
import outbox.internal.engine.common.Waiter;
import outbox.spi.StoreException;

/**
 * Whether the databases of a shutdown answer. One is asked over and over, on a thread of its own,
 * because a pool may let it wait; of many it is known from what they have to do. Starts when it is
 * asked for the first time. Used by the thread that shuts down.
 */
final class Probe implements BooleanSupplier {
  private static final Duration PERIOD = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final List<StoreRuntime> runtimes;
  private final Waiter waiter = new Waiter();
  private volatile long answeredAt = System.nanoTime();
  private volatile boolean stopped;
  private boolean started;

  Probe(List<StoreRuntime> runtimes) {
    this.runtimes = runtimes;
  }

  /** Whether one that has events in flight has answered within the last second. */
  @Override
  public boolean getAsBoolean() {
    if (runtimes.size() != 1) {
      return runtimes.stream().anyMatch(runtime -> !runtime.isIdle() && !runtime.health().isDown());
    }
    if (!started) {
      started = true;
      EngineThreads.start("outbox-probe", this::ask);
    }
    return System.nanoTime() - answeredAt < PATIENCE.toNanos();
  }

  private void ask() {
    try {
      while (!stopped) {
        askOnce();
        waiter.await(PERIOD);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void askOnce() {
    try {
      if (runtimes.get(0).connections().call("shutdown", Probe::isValid)) {
        answeredAt = System.nanoTime();
      }
    } catch (StoreException e) {
      // Then it has not answered, which is all that is asked.
    }
  }

  private static boolean isValid(Connection connection) {
    try {
      return connection.isValid((int) PATIENCE.toSeconds());
    } catch (SQLException e) {
      return false;
    }
  }

  void stop() {
    stopped = true;
    waiter.wake();
  }
}
