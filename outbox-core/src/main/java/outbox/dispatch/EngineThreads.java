package outbox.dispatch;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Names and makes the engine's threads: daemons, platform ones or, from JDK 21 on, virtual ones.
 */
final class EngineThreads {
  private EngineThreads() {}

  static Thread start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  static ThreadFactory platform(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return body -> {
      Thread thread = new Thread(body, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** By reflection, because the baseline is JDK 17. */
  static ThreadFactory virtual(String prefix) {
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
