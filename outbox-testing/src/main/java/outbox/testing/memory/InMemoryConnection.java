package outbox.testing.memory;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/** The part of {@link Connection} that deals with transactions; there is no SQL. */
final class InMemoryConnection implements InvocationHandler {
  private final Session session;
  private int networkTimeoutMillis;

  private InMemoryConnection(Session session) {
    this.session = session;
  }

  static Connection open(Rows rows) {
    return (Connection)
        Proxy.newProxyInstance(
            InMemoryConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new InMemoryConnection(new Session(rows)));
  }

  @Override
  @SuppressWarnings("NullAway") // a proxy's arguments are null only for methods that have none
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args)
      throws SQLException {
    switch (method.getName()) {
      case "commit" -> session.commit();
      case "rollback" -> {
        if (args == null) {
          session.rollback();
        } else {
          session.rollback((Savepoint) args[0]);
        }
      }
      case "close", "abort" -> session.close();
      case "setAutoCommit" -> session.setAutoCommit((boolean) args[0]);
      case "releaseSavepoint" -> session.release((Savepoint) args[0]);
      case "setNetworkTimeout" -> {
        session.requireOpen();
        networkTimeoutMillis = (int) args[1];
      }
      default -> {
        return answer(proxy, method, args);
      }
    }
    return null;
  }

  @SuppressWarnings("NullAway")
  private @Nullable Object answer(Object proxy, Method method, Object @Nullable [] args)
      throws SQLException {
    return switch (method.getName()) {
      case "isClosed" -> session.isClosed();
      case "isValid" -> !session.isClosed();
      case "isReadOnly" -> false;
      case "getAutoCommit" -> {
        session.requireOpen();
        yield session.isAutoCommit();
      }
      case "setSavepoint" -> session.savepoint(args == null ? null : (String) args[0]);
      case "getNetworkTimeout" -> networkTimeoutMillis;
      case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
      case "isWrapperFor" ->
          ((Class<?>) args[0]).isInstance(session) || ((Class<?>) args[0]).isInstance(proxy);
      case "unwrap" -> unwrap(proxy, (Class<?>) args[0]);
      case "equals" -> proxy == args[0];
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" ->
          "InMemoryConnection@" + Integer.toHexString(System.identityHashCode(proxy));
      default ->
          throw new UnsupportedOperationException(
              "Connection."
                  + method.getName()
                  + ": the in-memory store has no SQL; use its accessors, or a real database");
    };
  }

  private Object unwrap(Object proxy, Class<?> type) throws SQLException {
    if (type.isInstance(session)) {
      return session;
    }
    if (type.isInstance(proxy)) {
      return proxy;
    }
    throw new SQLException("not a wrapper for " + type.getName());
  }
}
