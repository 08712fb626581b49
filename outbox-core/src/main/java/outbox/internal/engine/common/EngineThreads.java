package outbox.internal.engine.common;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Names and makes the engine's threads: daemons, platform ones or, from JDK 21 on, virtual ones.
 */
public final class EngineThreads {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);
  private static final long PAUSE_AFTER_ERROR_NANOS = 100_000_000L;

  private EngineThreads() {}

  /** Starts a loop of the engine; one that fails by an Error is logged and begun again. */
  public static Thread start(String name, Runnable loop) {
    Thread thread = new Thread(() -> runForGood(loop), name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void runForGood(Runnable loop) {
    while (true) {
      try {
        loop.run();
        return;
      } catch (Throwable e) {
        report(e);
        LockSupport.parkNanos(PAUSE_AFTER_ERROR_NANOS);
      }
    }
  }

  /** A log handler may throw as well. */
  private static void report(Throwable failure) {
    try {
      LOG.log(Level.ERROR, Thread.currentThread().getName() + " failed, continuing", failure);
    } catch (RuntimeException | Error e) {
      // The loop matters more than the line.
    }
  }

  public static ThreadFactory platform(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return body -> {
      Thread thread = new Thread(body, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** By reflection, because the baseline is JDK 17. */
  public static ThreadFactory virtual(String prefix) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object named = type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
      return (ThreadFactory) type.getMethod("factory").invoke(named);
    } catch (NoSuchMethodException | ClassNotFoundException e) {
      throw new IllegalStateException(
          "virtualThreads needs JDK 21 or newer, this is "
              + Runtime.version()
              + "; turn it off or run on a newer JDK",
          e);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("virtual threads cannot be made on this JDK", e);
    }
  }
}
