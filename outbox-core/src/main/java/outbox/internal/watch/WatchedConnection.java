package outbox.internal.watch;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a watched transaction. Tells what happens on it, and on the JDBC objects that
 * it returns, by the abstract methods. Belongs to the thread of its transaction.
 */
public abstract class WatchedConnection extends WatchedObject {
  private final Connection proxy;

  protected WatchedConnection(Connection target) {
    super(target, null, null);
    this.proxy = as(Connection.class);
  }

  /** Returns the handler of a watched connection; null if {@code connection} is not one. */
  public static @Nullable WatchedConnection of(Connection connection) {
    return Proxy.isProxyClass(connection.getClass())
            && Proxy.getInvocationHandler(connection) instanceof WatchedConnection watched
        ? watched
        : null;
  }

  @Override
  final WatchedConnection watched() {
    return this;
  }

  /** The connection to hand to the application. */
  public final Connection proxy() {
    return proxy;
  }

  /** What {@link Connection#unwrap} returns for its class. */
  public abstract Object watch();

  /** What the database does to a transaction by itself. */
  protected abstract TransactionHabits habits();

  /** Called after a call that failed. */
  protected abstract void failed(Throwable failure);

  /** Called before the isolation level is set. */
  protected abstract void settingIsolation();

  /** Called before the application can do what the watch does not see. */
  protected abstract void passing(String reason);

  /** Called before a call on the connection that ends the transaction. */
  protected abstract void ending(String method);

  protected abstract void savepointSet(Savepoint savepoint);

  protected abstract void savepointReleased(Savepoint savepoint);

  protected abstract void rolledBackTo(Savepoint savepoint);

  @Override
  final @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    Object savepoint = args != null && args[0] instanceof Savepoint ? args[0] : null;
    String name = method.getName();
    if (ends(name, savepoint)) {
      ending(name);
    } else if (name.equals("setTransactionIsolation")) {
      settingIsolation();
    }
    Object result = super.call(method, args);
    if (result instanceof Savepoint created) {
      savepointSet(created);
    } else if (savepoint instanceof Savepoint existing) {
      if (name.equals("rollback")) {
        rolledBackTo(existing);
      } else {
        savepointReleased(existing);
      }
    }
    return result;
  }

  private static boolean ends(String method, @Nullable Object savepoint) {
    return switch (method) {
      case "commit", "close", "abort", "setAutoCommit" -> true;
      case "rollback" -> savepoint == null;
      default -> false;
    };
  }
}
