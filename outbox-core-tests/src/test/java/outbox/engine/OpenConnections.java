package outbox.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.ConnectionProvider;

/** Counts the connections that were opened, and those that are open. Thread-safe. */
final class OpenConnections implements ConnectionProvider {
  private final ConnectionProvider target;
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();

  OpenConnections(ConnectionProvider target) {
    this.target = target;
  }

  int opened() {
    return opened.get();
  }

  int open() {
    return open.get();
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = target.getConnection();
    opened.incrementAndGet();
    open.incrementAndGet();
    return (Connection)
        Proxy.newProxyInstance(
            OpenConnections.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              if (method.getName().equals("close")) {
                open.decrementAndGet();
              }
              try {
                return method.invoke(connection, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
