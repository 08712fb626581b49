package outbox.internal.watch;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;
import outbox.internal.connection.ConnectionProxy;

/** A JDBC object of a watched transaction; the JDBC objects that it returns are watched as well. */
class WatchedObject implements InvocationHandler {
  private final Wrapper target;
  private final @Nullable WatchedConnection connection;
  private final @Nullable Object parent;

  /**
   * Watches one object.
   *
   * @param connection the connection that the object came from; null for the connection itself
   * @param parent the proxy whose method returned the object; null for the connection itself
   */
  WatchedObject(Wrapper target, @Nullable WatchedConnection connection, @Nullable Object parent) {
    this.target = target;
    this.connection = connection;
    this.parent = parent;
  }

  /** The connection whose transaction is watched. */
  WatchedConnection watched() {
    return requireNonNull(connection, "connection");
  }

  final <T> T as(Class<T> type) {
    return ConnectionProxy.of(type, this);
  }

  @Override
  public final @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    Object first = args == null ? null : args[0];
    return switch (method.getName()) {
      case "equals" -> proxy == first;
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "watched " + target;
      case "unwrap" -> unwrap(proxy, (Class<?>) requireNonNull(first, "iface"));
      case "isWrapperFor" -> isWrapperFor(proxy, (Class<?>) requireNonNull(first, "iface"));
      default -> {
        if (first instanceof String sql
            && carriesSql(method.getName())
            && ControlText.isIn(sql, watched()::habits)) {
          watched().passing("SQL text controls the transaction");
        }
        yield wrapped(proxy, method.getReturnType(), call(method, args));
      }
    };
  }

  /** Whether the first argument is SQL text, not the name of a column or parameter. */
  private static boolean carriesSql(String method) {
    return method.startsWith("execute")
        || method.startsWith("prepare")
        || method.equals("addBatch");
  }

  /** Calls the method of the target, and notes its failure. */
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return ConnectionProxy.forward(target, method, args);
    } catch (Throwable e) {
      watched().failed(e);
      throw e;
    }
  }

  private @Nullable Object wrapped(Object proxy, Class<?> type, @Nullable Object result) {
    if (!type.isInterface() && type != Object.class) {
      return result;
    }
    if (result instanceof Connection) {
      return watched().proxy();
    }
    if (result instanceof ResultSet rows) {
      return new WatchedObject(rows, watched(), proxy).as(ResultSet.class);
    }
    if (result instanceof Statement statement) {
      return target instanceof ResultSet && parent instanceof Statement
          ? parent
          : new WatchedObject(statement, watched(), proxy).as(typeOf(statement));
    }
    return result instanceof DatabaseMetaData metaData
        ? new WatchedObject(metaData, watched(), proxy).as(DatabaseMetaData.class)
        : result;
  }

  private static Class<? extends Statement> typeOf(Statement statement) {
    if (statement instanceof CallableStatement) {
      return CallableStatement.class;
    }
    return statement instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
  }

  /** What is no JDBC object cannot end the transaction. */
  private Object unwrap(Object proxy, Class<?> type) throws SQLException {
    Object watch = watched().watch();
    if (type == watch.getClass()) {
      return watch;
    }
    if (type.isInstance(proxy)) {
      return proxy;
    }
    Object inner = type.isInstance(target) ? target : target.unwrap(type);
    if (inner instanceof Wrapper) {
      watched().passing("the application has unwrapped " + type.getName());
    }
    return inner;
  }

  private boolean isWrapperFor(Object proxy, Class<?> type) throws SQLException {
    return type == watched().watch().getClass()
        || type.isInstance(proxy)
        || type.isInstance(target)
        || target.isWrapperFor(type);
  }
}
