package outbox.spi;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/** A JDBC object of a watched transaction; the JDBC objects that it returns are watched as well. */
class WatchedObject implements InvocationHandler {
  final TransactionWatch watch;
  private final Wrapper target;
  private final @Nullable Object parent;

  /** Watches one object; the parent is the proxy whose method returned the object. */
  WatchedObject(Wrapper target, TransactionWatch watch, @Nullable Object parent) {
    this.target = target;
    this.watch = watch;
    this.parent = parent;
  }

  final <T> T as(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(WatchedObject.class.getClassLoader(), new Class<?>[] {type}, this));
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
            && ControlText.isIn(sql, watch::habits)) {
          watch.passing("SQL text controls the transaction");
        }
        yield watched(proxy, method.getReturnType(), call(method, args));
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
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException failure) {
        watch.failed(failure);
      }
      throw e.getCause();
    }
  }

  private @Nullable Object watched(Object proxy, Class<?> type, @Nullable Object result) {
    if (!type.isInterface() && type != Object.class) {
      return result;
    }
    if (result instanceof Connection) {
      return watch.connection();
    }
    if (result instanceof ResultSet rows) {
      return new WatchedObject(rows, watch, proxy).as(ResultSet.class);
    }
    if (result instanceof Statement statement) {
      return target instanceof ResultSet && parent instanceof Statement
          ? parent
          : new WatchedObject(statement, watch, proxy).as(typeOf(statement));
    }
    return result instanceof DatabaseMetaData metaData
        ? new WatchedObject(metaData, watch, proxy).as(DatabaseMetaData.class)
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
    if (type == TransactionWatch.class) {
      return watch;
    }
    if (type.isInstance(proxy)) {
      return proxy;
    }
    Object inner = type.isInstance(target) ? target : target.unwrap(type);
    if (inner instanceof Wrapper) {
      watch.passing("the application has unwrapped " + type.getName());
    }
    return inner;
  }

  private boolean isWrapperFor(Object proxy, Class<?> type) throws SQLException {
    return type == TransactionWatch.class
        || type.isInstance(proxy)
        || type.isInstance(target)
        || target.isWrapperFor(type);
  }
}
