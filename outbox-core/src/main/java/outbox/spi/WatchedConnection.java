package outbox.spi;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/** The connection of a watched transaction: tells the watch of savepoints and of what ends it. */
final class WatchedConnection extends WatchedObject {

  WatchedConnection(Connection target, TransactionWatch watch) {
    super(target, watch, null);
  }

  @Override
  @Nullable Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    Object savepoint = args != null && args[0] instanceof Savepoint ? args[0] : null;
    String name = method.getName();
    if (ends(name, savepoint)) {
      watch.ending(name);
    }
    Object result = super.call(method, args);
    if (result instanceof Savepoint created) {
      watch.savepointSet(created);
    } else if (savepoint instanceof Savepoint existing) {
      if (name.equals("rollback")) {
        watch.rolledBackTo(existing);
      } else {
        watch.savepointReleased(existing);
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
