package outbox.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.sql.DataSource;
import outbox.spi.ConnectionProvider;

/** Connections whose calls that reach the database are counted by their names. */
final class CountedCalls implements ConnectionProvider {
  private static final Set<String> COUNTED =
      Set.of(
          "prepareStatement",
          "prepareCall",
          "createStatement",
          "commit",
          "rollback",
          "setSavepoint",
          "releaseSavepoint",
          "setAutoCommit",
          "setTransactionIsolation");

  private final DataSource dataSource;
  private final Map<String, Integer> calls = new TreeMap<>();

  CountedCalls(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection real = dataSource.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              count(method.getName());
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  synchronized Map<String, Integer> calls() {
    return Map.copyOf(calls);
  }

  synchronized void reset() {
    calls.clear();
  }

  private synchronized void count(String call) {
    if (COUNTED.contains(call)) {
      calls.merge(call, 1, Integer::sum);
    }
  }
}
