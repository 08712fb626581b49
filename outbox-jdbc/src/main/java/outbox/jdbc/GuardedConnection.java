package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a running transaction as business code sees it: everything but what would end
 * the transaction behind its manager's back. Tells the callbacks about savepoints.
 */
final class GuardedConnection implements InvocationHandler {
  private final Connection target;
  private final TransactionCallbacks callbacks;

  private GuardedConnection(Connection target, TransactionCallbacks callbacks) {
    this.target = target;
    this.callbacks = callbacks;
  }

  static Connection around(Connection target, TransactionCallbacks callbacks) {
    return (Connection)
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new GuardedConnection(target, callbacks));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args)
      throws Throwable {
    Object argument = args == null ? this : args[0];
    return switch (method.getName()) {
      case "equals" -> proxy == argument;
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "transaction on " + target;
      case "unwrap" -> unwrap(proxy, (Class<?>) argument);
      case "isWrapperFor" -> ((Class<?>) argument).isInstance(proxy) || wraps((Class<?>) argument);
      case "commit", "close", "setAutoCommit", "abort" -> throw refused(method);
      case "setSavepoint" -> {
        Savepoint savepoint = (Savepoint) requireNonNull(call(method, args));
        callbacks.savepointSet(savepoint);
        yield savepoint;
      }
      case "releaseSavepoint" -> {
        call(method, args);
        callbacks.savepointReleased((Savepoint) argument);
        yield null;
      }
      case "rollback" -> {
        if (args == null) {
          throw refused(method);
        }
        call(method, args);
        callbacks.rolledBackTo((Savepoint) argument);
        yield null;
      }
      default -> call(method, args);
    };
  }

  private @Nullable Object call(Method method, Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object unwrap(Object proxy, Class<?> type) throws SQLException {
    if (type.isInstance(proxy)) {
      return proxy;
    }
    return type.isInstance(target) ? target : target.unwrap(type);
  }

  private boolean wraps(Class<?> type) throws SQLException {
    return type.isInstance(target) || ((Wrapper) target).isWrapperFor(type);
  }

  private static IllegalStateException refused(Method method) {
    return new IllegalStateException(
        "Connection."
            + method.getName()
            + "() is refused inside a managed transaction: return from inTransaction(…) to commit,"
            + " throw to roll back; a Transaction begun by hand has commit() and rollback()");
  }
}
