package outbox.internal.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Makes connections that stand before another one, such as one that refuses some calls. */
public final class ConnectionProxy {
  private ConnectionProxy() {}

  /** Returns a connection whose every call goes to the handler. */
  public static Connection of(InvocationHandler handler) {
    return of(Connection.class, handler);
  }

  /** Returns a JDBC object of this type whose every call goes to the handler. */
  public static <T> T of(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            ConnectionProxy.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** Calls the method of the target, and throws what the method throws. */
  public static @Nullable Object forward(
      Object target, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
