package outbox.jdbc.db;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The JDBC URL of a server whose databases are named in the path.
 *
 * @param before what stands before the name of a database
 * @param after what stands after it
 */
public record ServerUrl(String before, String after) {
  /** The server that an environment variable names, if it is set. */
  public static Optional<ServerUrl> given(String variable) {
    return Optional.ofNullable(System.getenv(variable)).map(ServerUrl::at);
  }

  static ServerUrl at(String url) {
    int name = url.indexOf('/', url.indexOf("//") + 2) + 1;
    int options = url.indexOf('?', name);
    return new ServerUrl(url.substring(0, name), options < 0 ? "" : url.substring(options));
  }

  public String of(String database) {
    return before + database + after;
  }

  /** Runs a statement outside of any database. */
  public void execute(String sql) {
    try (Connection connection = DriverManager.getConnection(of(""));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
