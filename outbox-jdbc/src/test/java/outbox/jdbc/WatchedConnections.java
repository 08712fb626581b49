package outbox.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import outbox.spi.ConnectionProvider;

/**
 * Real connections whose statements are counted, or fail, or end as victims of a deadlock, and of
 * which is seen in which mode they are given back.
 */
final class WatchedConnections implements ConnectionProvider {
  private final DataSource dataSource;
  private final boolean autoCommit;
  private final AtomicInteger deadlocks = new AtomicInteger();
  private final AtomicInteger allowed = new AtomicInteger(Integer.MAX_VALUE);
  private final AtomicInteger statements = new AtomicInteger();
  private final AtomicInteger alone = new AtomicInteger();
  private final AtomicInteger commits = new AtomicInteger();
  private final List<Boolean> modes = new CopyOnWriteArrayList<>();

  WatchedConnections(DataSource dataSource, boolean autoCommit) {
    this.dataSource = dataSource;
    this.autoCommit = autoCommit;
  }

  /** Lets the next statements fail. */
  void deadlockNext(int count) {
    deadlocks.set(count);
  }

  /** Lets every statement after so many fail. */
  void breakAfter(int statements) {
    allowed.set(statements);
  }

  int statements() {
    return statements.get();
  }

  /** Returns how many of the statements ran in auto-commit mode. */
  int alone() {
    return alone.get();
  }

  int commits() {
    return commits.get();
  }

  /** Whether each connection was in auto-commit mode when it was closed. */
  List<Boolean> modes() {
    return modes;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection real = dataSource.getConnection();
    real.setAutoCommit(autoCommit);
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              watch(real, method);
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void watch(Connection real, Method method) throws SQLException {
    if (method.getName().equals("prepareStatement")) {
      statements.incrementAndGet();
      alone.addAndGet(real.getAutoCommit() ? 1 : 0);
      if (allowed.getAndDecrement() <= 0) {
        throw new SQLException("broken", "HY000");
      }
      if (deadlocks.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
        throw new SQLException("deadlock", "40001");
      }
    } else if (method.getName().equals("commit")) {
      commits.incrementAndGet();
    } else if (method.getName().equals("close") && !real.isClosed()) {
      modes.add(real.getAutoCommit());
    }
  }
}
