package outbox.admin.data;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** A pool of one connection that stays open, so that one can see how it was left. */
record KeptConnection(Connection connection) {

  DataSource asDataSource() {
    Connection unclosed =
        (Connection)
            Proxy.newProxyInstance(
                KeptConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("close")) {
                    return null;
                  }
                  try {
                    return method.invoke(connection, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return (DataSource)
        Proxy.newProxyInstance(
            KeptConnection.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> unclosed);
  }
}
