package outbox.jdbc.model;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;

/** Real connections, one statement or commit of which fails when it is told to. */
final class FailingConnections implements ConnectionProvider {
  private static final Set<String> HARMLESS =
      Set.of("close", "isClosed", "abort", "unwrap", "isWrapperFor", "toString", "hashCode");

  private final ConnectionProvider real;
  private @Nullable Fault fault;
  private int calls;

  FailingConnections(ConnectionProvider real) {
    this.real = real;
  }

  /** Counts statements and commits from zero again. */
  void failBy(@Nullable Fault next) {
    fault = next;
    calls = 0;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return wrapped(Connection.class, real.getConnection(), new Line());
  }

  private <T> T wrapped(Class<T> type, T object, Line line) {
    InvocationHandler handler =
        (proxy, method, args) ->
            method.getName().equals("equals")
                ? Boolean.valueOf(proxy == args[0])
                : call(object, method, args, line);
    return type.cast(
        Proxy.newProxyInstance(
            FailingConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private @Nullable Object call(Object object, Method method, Object @Nullable [] args, Line line)
      throws Throwable {
    boolean harmless = HARMLESS.contains(method.getName());
    if (line.brokenBy != null && !harmless) {
      throw line.brokenBy.thrown();
    }
    Fault now = isCounted(method) ? dueFault() : null;
    if (now == null) {
      return wrappedResult(invoke(object, method, args), line);
    }
    if (now.kind().isDone()) {
      invoke(object, method, args);
    }
    line.brokenBy = now.kind().breaks() ? now : null;
    throw now.thrown();
  }

  private static boolean isCounted(Method method) {
    return method.getName().startsWith("execute") || method.getName().equals("commit");
  }

  private @Nullable Fault dueFault() {
    calls++;
    return fault != null && fault.at() == calls ? fault : null;
  }

  private @Nullable Object wrappedResult(@Nullable Object result, Line line) {
    if (result instanceof CallableStatement statement) {
      return wrapped(CallableStatement.class, statement, line);
    }
    if (result instanceof PreparedStatement statement) {
      return wrapped(PreparedStatement.class, statement, line);
    }
    return result instanceof Statement statement
        ? wrapped(Statement.class, statement, line)
        : result;
  }

  private static @Nullable Object invoke(Object object, Method method, Object @Nullable [] args)
      throws Throwable {
    try {
      return method.invoke(object, args);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  /** One connection and its statements. */
  private static final class Line {
    private @Nullable Fault brokenBy;
  }
}
