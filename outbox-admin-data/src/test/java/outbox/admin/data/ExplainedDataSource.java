package outbox.admin.data;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Lets PostgreSQL run each query twice, to tell what it read for it. Not thread-safe. */
final class ExplainedDataSource {
  private final DataSource dataSource;
  private final List<Plan> plans = new ArrayList<>();

  ExplainedDataSource(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** The plans of the queries since the last call. */
  List<Plan> plans() {
    List<Plan> all = List.copyOf(plans);
    plans.clear();
    return all;
  }

  DataSource explained() {
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          Object result = call(dataSource, method, arguments);
          return result instanceof Connection connection ? explained(connection) : result;
        });
  }

  private Connection explained(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object result = call(connection, method, arguments);
          return result instanceof PreparedStatement statement && arguments != null
              ? explained(connection, statement, (String) arguments[0])
              : result;
        });
  }

  private PreparedStatement explained(
      Connection connection, PreparedStatement statement, String sql) throws SQLException {
    PreparedStatement explaining =
        connection.prepareStatement("EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) " + sql);
    return proxy(
        PreparedStatement.class,
        (method, arguments) -> {
          if (method.getName().startsWith("set") && arguments != null && arguments.length > 1) {
            call(explaining, method, arguments);
          } else if (method.getName().equals("executeQuery")) {
            plans.add(plan(sql, explaining));
          } else if (method.getName().equals("close")) {
            explaining.close();
          }
          return call(statement, method, arguments);
        });
  }

  private static Plan plan(String sql, PreparedStatement explaining) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (ResultSet result = explaining.executeQuery()) {
      while (result.next()) {
        lines.add(result.getString(1));
      }
    }
    return new Plan(sql, lines);
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call.of(method, arguments)));
  }

  private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @FunctionalInterface
  private interface Call {
    @Nullable Object of(Method method, Object @Nullable [] arguments) throws Throwable;
  }
}
