package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import outbox.spi.StoreException;

/**
 * Asks the database over and over whether it answers, on a thread of its own, because a pool may
 * let it wait. Starts when it is asked for the first time. Used by the thread that shuts down.
 */
final class Probe implements BooleanSupplier {
  private static final Duration PERIOD = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final EngineConnections connections;
  private final Waiter waiter = new Waiter();
  private volatile long answeredAt = System.nanoTime();
  private volatile boolean stopped;
  private boolean started;

  Probe(EngineConnections connections) {
    this.connections = connections;
  }

  /** Whether the database has answered within the last second. */
  @Override
  public boolean getAsBoolean() {
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
      if (connections.call("shutdown", Probe::isValid)) {
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
