package outbox.jdbc.internal.pool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.internal.connection.ConnectionProxy;
import outbox.spi.ConnectionProvider;

/** A borrowed connection: closing it gives it back, once, and ends its use. */
public final class BorrowedConnection implements InvocationHandler {
  private final Connection target;
  private final Consumer<Connection> giveBack;
  private final AtomicBoolean returned = new AtomicBoolean();

  private BorrowedConnection(Connection target, Consumer<Connection> giveBack) {
    this.target = target;
    this.giveBack = giveBack;
  }

  public static Connection of(Connection target, Consumer<Connection> giveBack) {
    return ConnectionProxy.of(new BorrowedConnection(target, giveBack));
  }

  /** Lends one connection, which stays open when its borrower closes it. */
  public static ConnectionProvider lent(Connection connection) {
    return () -> of(connection, kept -> {});
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args)
      throws Throwable {
    Object argument = args == null ? this : args[0];
    return switch (method.getName()) {
      case "equals" -> proxy == argument;
      case "hashCode" -> System.identityHashCode(proxy);
      case "toString" -> "loan of " + target;
      case "isClosed" -> returned.get() || target.isClosed();
      case "close" -> {
        if (returned.compareAndSet(false, true)) {
          giveBack.accept(target);
        }
        yield null;
      }
      default -> call(method, args);
    };
  }

  private @Nullable Object call(Method method, Object @Nullable [] args) throws Throwable {
    if (returned.get()) {
      throw new SQLException("the connection was given back already", "08003");
    }
    return ConnectionProxy.forward(target, method, args);
  }
}
