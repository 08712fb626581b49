package outbox.jdbc.db;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;

/**
 * An external SQL Server: the JDBC URL of a login that may create databases, in the environment
 * variable {@value #URL}.
 */
public final class SqlServer implements Server {
  public static final String URL = "OUTBOX_SQLSERVER_URL";

  private final String url;

  private SqlServer(String url) {
    this.url = url;
  }

  static SqlServer instance() {
    return new SqlServer(
        Optional.ofNullable(System.getenv(URL))
            .orElseThrow(() -> new IllegalStateException("set " + URL + " to test on SQL Server")));
  }

  @Override
  public String createDatabase(String name) {
    execute("CREATE DATABASE " + name);
    return url + ";databaseName=" + name;
  }

  @Override
  public void dropDatabase(String name) {
    execute("ALTER DATABASE " + name + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
    execute("DROP DATABASE " + name);
  }

  private void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.createStatement().execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
