package outbox.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Stops the time from the moment a commit returns to the moment the listener is called, in the same
 * way for everyone: by a data source whose connections note when their commit came back.
 */
final class CommitClock {
  @SuppressWarnings("ThreadLocalUsage") // each clock has its own
  private final ThreadLocal<@Nullable Stamp> current = new ThreadLocal<>();

  private final Map<String, Stamp> open = new ConcurrentHashMap<>();
  private final Queue<Double> micros = new ConcurrentLinkedQueue<>();

  /** The event that the calling thread is about to commit. */
  EventEnvelope next() {
    EventEnvelope event = Payload.next();
    Stamp stamp = new Stamp();
    open.put(event.eventId(), stamp);
    current.set(stamp);
    return event;
  }

  /** The listener. */
  void arrived(EventEnvelope event) {
    long now = System.nanoTime();
    Stamp stamp = open.remove(event.eventId());
    if (stamp != null) {
      micros.add((now - stamp.committed) / 1e3);
    }
  }

  double[] micros() {
    return micros.stream().mapToDouble(Double::doubleValue).toArray();
  }

  DataSource around(DataSource target) {
    return proxy(
        DataSource.class,
        target,
        result -> result instanceof Connection connection ? watched(connection) : result);
  }

  private Connection watched(Connection connection) {
    return proxy(Connection.class, connection, result -> result);
  }

  private <T> T proxy(Class<T> type, T target, Result result) {
    Object proxy =
        Proxy.newProxyInstance(
            CommitClock.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              try {
                Object value = method.invoke(target, args);
                if (method.getName().equals("commit")) {
                  stamp();
                }
                return result.of(value);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
    return type.cast(proxy);
  }

  private void stamp() {
    Stamp stamp = current.get();
    if (stamp != null) {
      stamp.committed = System.nanoTime();
    }
  }

  private static final class Stamp {
    private volatile long committed;
  }

  @FunctionalInterface
  private interface Result {
    @Nullable Object of(@Nullable Object value);
  }
}
