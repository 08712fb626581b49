package outbox.demo;

import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Gives out connections until it is cut off; then all of them break and no more are given. */
final class SeverableDataSource implements DataSource {
  private final DataSource delegate;
  private final List<Connection> given = new ArrayList<>();
  private boolean severed;

  SeverableDataSource(DataSource delegate) {
    this.delegate = delegate;
  }

  synchronized void sever() {
    severed = true;
    for (Connection connection : given) {
      try {
        connection.close();
      } catch (SQLException e) {
        System.getLogger(SeverableDataSource.class.getName())
            .log(Level.INFO, "connection broke while being cut", e);
      }
    }
    given.clear();
  }

  @Override
  public synchronized Connection getConnection() throws SQLException {
    if (severed) {
      throw new SQLException("this node is cut off from its database", "08006");
    }
    Connection connection = delegate.getConnection();
    given.add(connection);
    return connection;
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("use getConnection()");
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return delegate.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    delegate.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    delegate.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return delegate.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return delegate.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return delegate.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return delegate.isWrapperFor(type);
  }
}
