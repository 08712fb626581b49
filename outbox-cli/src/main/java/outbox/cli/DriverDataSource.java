package outbox.cli;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections with the drivers of the class path, without a pool. */
final class DriverDataSource implements DataSource {
  private final String url;
  private final Properties properties;

  DriverDataSource(String url, Properties properties) {
    requireDriver(url);
    this.url = url;
    this.properties = properties;
  }

  /** Fails early: without a driver, later errors would read as if the database were down. */
  static void requireDriver(String url) {
    try {
      var unused = DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new WrongCallException(
          "--url ("
              + DatabaseOptions.shown(url)
              + "): no JDBC driver accepts this URL. The command includes the drivers of PostgreSQL,"
              + " MariaDB and H2; add another one to the class path:"
              + " java -cp outbox-cli-VERSION-all.jar:driver.jar outbox.cli.Main");
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    return DriverManager.getConnection(url, properties);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    throw new SQLFeatureNotSupportedException("log writer");
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    throw new SQLFeatureNotSupportedException("login timeout");
  }

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException("parent logger");
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (isWrapperFor(type)) {
      return type.cast(this);
    }
    throw new SQLException("no " + type.getName());
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }
}
