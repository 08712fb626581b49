package outbox.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Measures the time from the return of the commit to the call of the listener. A data source around
 * the contestant's notes when each statement and each commit of the publisher returned; the last of
 * them before the call is the commit, also in auto-commit mode.
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
    arrived(event.eventId());
  }

  /** The listener, for an event of this id. */
  void arrived(String eventId) {
    long now = System.nanoTime();
    Stamp stamp = open.remove(eventId);
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
    return proxy(
        Connection.class,
        connection,
        result ->
            result instanceof PreparedStatement statement
                ? proxy(PreparedStatement.class, statement, inner -> inner)
                : result);
  }

  private <T> T proxy(Class<T> type, T target, Result result) {
    Object proxy =
        Proxy.newProxyInstance(
            CommitClock.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              try {
                Object value = method.invoke(target, args);
                if (isDurable(method.getName())) {
                  stamp();
                }
                return result.of(value);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
    return type.cast(proxy);
  }

  private static boolean isDurable(String method) {
    return method.equals("commit") || method.startsWith("execute");
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
