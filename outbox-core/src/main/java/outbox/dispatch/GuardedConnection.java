package outbox.dispatch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;

/**
 * The connection as a transactional listener sees it: the end of the transaction is not its own.
 */
final class GuardedConnection {
  private static final Set<String> REFUSED =
      Set.of("commit", "close", "abort", "setAutoCommit", "setTransactionIsolation");

  private GuardedConnection() {}

  static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            GuardedConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("equals")) {
                return proxy == arguments[0];
              }
              boolean wholeRollback =
                  method.getName().equals("rollback") && method.getParameterCount() == 0;
              if (wholeRollback || REFUSED.contains(method.getName())) {
                throw new IllegalStateException(
                    method.getName()
                        + " is not the listener's: return to commit, throw to roll back");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
