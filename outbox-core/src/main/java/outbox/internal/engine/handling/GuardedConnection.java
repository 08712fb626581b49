package outbox.internal.engine.handling;

import java.sql.Connection;
import java.util.Set;
import outbox.internal.connection.ConnectionProxy;
import outbox.spi.TransactionWatch;

/**
 * The connection as a transactional listener sees it: the end of the transaction is not its own.
 */
final class GuardedConnection {
  private static final String WAY_OUT = "return to commit, throw to roll back";
  private static final Set<String> REFUSED =
      Set.of("commit", "close", "abort", "setAutoCommit", "setTransactionIsolation");

  private GuardedConnection() {}

  /** Watches the listener's transaction, unless its runner does already. */
  static Connection watched(Connection connection) {
    return TransactionWatch.of(connection) != null
        ? connection
        : TransactionWatch.guarding(connection, WAY_OUT).connection();
  }

  static Connection of(Connection connection) {
    return ConnectionProxy.of(
        (proxy, method, arguments) -> {
          if (method.getName().equals("equals")) {
            return proxy == arguments[0];
          }
          boolean wholeRollback =
              method.getName().equals("rollback") && method.getParameterCount() == 0;
          if (wholeRollback || REFUSED.contains(method.getName())) {
            throw new IllegalStateException(
                method.getName() + " is not the listener's: " + WAY_OUT);
          }
          return ConnectionProxy.forward(connection, method, arguments);
        });
  }
}
