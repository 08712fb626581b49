package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Connections that know network timeouts and can be aborted, as those of H2 cannot, and record
 * which timeouts are set.
 */
final class TimedConnections {
  private final DataSource target;
  private final Set<Integer> timeouts = ConcurrentHashMap.newKeySet();

  TimedConnections(DataSource target) {
    this.target = target;
  }

  /** In milliseconds, without those that lift another one. */
  Set<Integer> timeouts() {
    return timeouts;
  }

  DataSource dataSource() {
    return proxy(
        DataSource.class,
        target,
        (method, arguments, result) ->
            result instanceof Connection connection ? timed(connection) : result);
  }

  private Connection timed(Connection connection) {
    AtomicInteger current = new AtomicInteger();
    return proxy(
        Connection.class,
        connection,
        (method, arguments, result) -> {
          if (method.equals("getNetworkTimeout")) {
            return current.get();
          }
          if (method.equals("setNetworkTimeout")) {
            current.set((int) requireNonNull(arguments)[1]);
            if (current.get() > 0) {
              timeouts.add(current.get());
            }
          }
          if (method.equals("abort")) {
            connection.close();
          }
          return result;
        });
  }

  @FunctionalInterface
  private interface After {
    Object result(String method, Object[] arguments, Object result) throws SQLException;
  }

  @SuppressWarnings("NullAway") // a proxy's arguments and results may be null
  private static <T> T proxy(Class<T> type, T target, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            TimedConnections.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return after.result(method.getName(), arguments, method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
